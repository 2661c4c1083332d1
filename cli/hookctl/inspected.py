"""The child process of ``--load``: one line of JSON for each plugin that it is asked to import."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from hookcore import HookManager
from hookcore.config import read_config
from hookcore.discovery import discover
from hookcore.loading.load import load_one

from .schemas import model_schema

if TYPE_CHECKING:
    from hookcore.config import Config

__all__ = ["main"]

_TOLD = ("hook", "gate", "on_error", "mode", "tools")


def main() -> None:
    """Report on the plugins that the command line names."""
    # What plugins print must not end up between the answers.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        config = _config()
        for name in sys.argv[1:]:
            told = _Warnings()
            logging.getLogger().addHandler(told)
            began = time.perf_counter()
            report = _report(name, config)
            report |= {"seconds": time.perf_counter() - began, "warnings": told.texts}
            logging.getLogger().removeHandler(told)
            answers.write(json.dumps({"name": name, **report}) + "\n")
            answers.flush()


class _Warnings(logging.Handler):
    """Keeps what a plugin warns of; what hookcore warns of, the parent finds out by itself."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != "hookcore":
            # A plugin that logs nonsense must not look like one that cannot be loaded.
            with contextlib.suppress(Exception):
                self.texts.append(record.getMessage())


def _config() -> Config:
    """Read the configuration; who started this process has given its warnings."""
    log = logging.getLogger("hookcore")
    log.disabled = True
    try:
        return read_config()
    finally:
        log.disabled = False


def _report(name: str, config: Config) -> dict[str, Any]:
    manager = HookManager()
    problem = load_one(manager.register_configured, config, discover(), name)
    if problem is not None:
        return {"error": problem.cause}
    found = [(point, hook) for point in manager.points for hook in manager.hooks(point)]
    hooks = [hook for _, hook in found]
    return {
        "points": [point for point in manager.points if manager.has_hooks(point)],
        "priority": _common([hook.priority for hook in hooks]),
        "on_error": _common([hook.on_error for hook in hooks]),
        "hooks": [
            {"point": point, **{key: getattr(hook, key) for key in _TOLD}} for point, hook in found
        ],
        "tool_patterns": sorted(_told(manager.plugins()[0].plugin, "tool_patterns")),
        "rule_names": _told(manager.plugins()[0].plugin, "rule_names"),
        "settings_schema": _settings_schema(manager.plugins()[0].plugin),
    }


def _told(plugin: object, attribute: str) -> list[str]:
    """Ask the plugin for the patterns in its settings, or its rules, if it has them to tell."""
    texts = getattr(plugin, attribute, ())
    if isinstance(texts, list | tuple | set | frozenset):
        return [text for text in texts if isinstance(text, str)]
    return []


def _settings_schema(plugin: object) -> dict[str, Any] | None:
    # A type of the plugin's own may have no schema, or one that is no JSON.
    with contextlib.suppress(Exception):
        schema = model_schema(plugin)
        json.dumps(schema)
        return schema
    return None


def _common(values: list[Any]) -> Any:
    """Answer what all hooks of the plugin have in common."""
    return values[0] if len(set(values)) == 1 else None
