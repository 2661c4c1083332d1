"""Find the distribution that offers a plugin that is not installed, as far as is known here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hookcore.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookcore.config import ConfigFile

__all__ = ["distribution_of"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OURS = frozenset(
    (
        "approval",
        "audit",
        "bundle",
        "command-logger",
        "limits",
        "loop-guard",
        "otel",
        "path-guard",
        "redact",
        "shell-guard",
        "tool-policy",
        "webhook-audit",
    )
)


def distribution_of(plugin: str, files: Iterable[ConfigFile]) -> str | None:
    """Tell what to install for a plugin; None when nothing says it.

    Args:
        plugin: the plugin.
        files: the file of each layer; a lock file beside one that counts names the distribution
            that was locked, the strongest layer's first.
    """
    if plugin in _OURS:  # and no project's file may say otherwise
        return f"hookcore-{plugin}"
    from hookcore.trust.lockfile import lock_beside, read_lock

    for file in reversed(tuple(files)):
        if file.exists and file.ignored is None:
            try:
                entry = read_lock(lock_beside(file.path)).get(plugin)
            except ConfigError:  # 'hookctl doctor' says what is wrong with it
                continue
            if entry is not None and _NAME.fullmatch(entry.distribution):
                return entry.distribution
    return None
