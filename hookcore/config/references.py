"""Settings that say where a secret is, instead of what it is: ``env:NAME`` and ``file:PATH``."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from .model import dotted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .model import KeyPath, Origin, Settled

__all__ = ["is_reference", "resolved_settings"]

_ENV = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
# Two slashes would make it a URL.
_FILE = re.compile(r"file:(?!//)([^\n\0]+)")
_MOST_BYTES = 1024 * 1024


def is_reference(value: object) -> bool:
    """Tell whether a setting says where its value is.

    Args:
        value: the setting.

    Returns:
        True for ``env:NAME`` and ``file:PATH``, which are no secrets themselves.
    """
    return isinstance(value, str) and bool(_ENV.fullmatch(value) or _FILE.fullmatch(value))


def resolved_settings(
    config: Settled, plugin: str, *, environ: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Put the values in the place of references, at the moment at which a plugin gets them.

    Args:
        config: the configuration.
        plugin: an enabled plugin.
        environ: the environment; None for the process's.

    Returns:
        The plugin's settings; the configuration keeps the references.

    Raises:
        ConfigError: a variable is not set, or a file cannot be read; ``key`` is the setting's path
            in the plugin's table.
    """
    reader = _Reader(config, plugin, os.environ if environ is None else environ)
    settings: dict[str, Any] = reader.value(config.plugins[plugin].settings, ("settings",))
    return settings


class _Reader:
    def __init__(self, config: Settled, plugin: str, environ: Mapping[str, str]) -> None:
        self._config = config
        self._plugin = plugin
        self._environ = environ

    def value(self, value: Any, path: KeyPath) -> Any:
        if isinstance(value, dict):
            return {key: self.value(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item, path) for item in value]
        if not isinstance(value, str):
            return value
        if found := _ENV.fullmatch(value):
            return self._variable(found[1], path)
        if found := _FILE.fullmatch(value):
            return self._content(found[1], path)
        return value

    def _variable(self, name: str, path: KeyPath) -> str:
        if name not in self._environ:
            raise _error(path, f"env:{name} is not set: set the environment variable {name}")
        return self._environ[name]

    def _content(self, name: str, path: KeyPath) -> str:
        origin = self._config.origin(("plugins", self._plugin, *path))
        file = self._place(name, origin, path)
        try:
            if not file.is_file() or file.stat().st_size > _MOST_BYTES:
                raise _error(path, f"file:{name} is no file of at most 1 MiB: {file}")
            text = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise _error(path, f"file:{name} cannot be read ({why}): {file}") from None
        return text.removesuffix("\n").removesuffix("\r")

    def _place(self, name: str, origin: Origin, path: KeyPath) -> Path:
        """Find the file: beside the one that names it, or below there."""
        beside = origin.file.parent if origin.file is not None else Path.cwd()
        file = beside / name
        away = not file.resolve().is_relative_to(beside.resolve())
        if origin.layer in {"project", "bundle"} and away:
            raise _error(
                path,
                f"file:{name} lies outside of {beside}, and a {origin.layer} may name files below "
                "its own folder only: say it in the user's or the system's file",
            )
        return file


def _error(path: KeyPath, text: str) -> ConfigError:
    return ConfigError(f"{dotted(path)}: {text}", key=".".join(path))
