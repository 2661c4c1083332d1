"""Checks of files: whether the configuration is right, counts, and is nobody else's to write."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from hookcore.config.expiry import told_expiry
from hookcore.disk.state import state_folder
from hookcore.trust.lockfile import lock_beside

from .finding import error, warning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookcore.config import Config, ConfigFile

    from .finding import Diagnosis

__all__ = ["check_files", "check_switches"]


def check_switches(config: Config) -> Iterator[Diagnosis]:
    """Check for plugins that are enabled in vain, or not at all.

    Args:
        config: the configuration.
    """
    if not config.enabled:
        yield warning(
            "off",
            "hooks.enabled",
            f"{config.origin('hooks.enabled')} switches all plugins off",
            "take hooks.enabled = false away there",
        )
    elif not any(plugin.enabled for plugin in config.plugins.values()):
        yield warning(
            "idle",
            "plugins",
            "no plugin is enabled, so that nothing is watched and nothing is stopped",
            "hookctl list, and hookctl enable NAME",
        )
    for name in sorted(config.plugins):
        for expiry in told_expiry(config, name):
            fix = "set a later day there, or take the table out"
            yield warning("expiry", name, expiry.partition(": ")[2], fix)


def check_files(files: Iterable[ConfigFile]) -> Iterator[Diagnosis]:
    """Check the files of the layers, what lies beside them, and the user's state.

    Args:
        files: the file of each layer.
    """
    places: dict[Path, None] = {}
    for file in files:
        if file.ignored is not None and file.exists:
            yield warning(
                "untrusted", file.path, f"it does not count: {file.ignored}", _trust(file)
            )
        for path in (file.path, lock_beside(file.path)):
            if path.exists():
                places.update({path: None, path.parent: None})
    state = state_folder()
    if state is not None and state.exists():
        places.update(dict.fromkeys((state, *sorted(state.iterdir()))))
    for path in places:
        yield from _strangers(path)


def _trust(file: ConfigFile) -> str:
    return "hookctl trust" if "hookctl trust" in str(file.ignored) else "hookctl enable --user NAME"


def _strangers(path: Path) -> Iterator[Diagnosis]:
    """Find out who else may write a file, or put another one in its place."""
    if not hasattr(os, "geteuid"):
        return
    try:
        status = path.stat()
    except OSError as problem:
        why = problem.strerror or str(problem)
        yield error("unreadable", path, f"it cannot be read: {why}", f"ls -ld {path}")
        return
    if status.st_uid not in {0, os.geteuid()}:
        yield warning("owner", path, "it belongs to another user", f"sudo chown $USER {path}")
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return  # as in /tmp: others may add files and not replace ours
    if status.st_mode & stat.S_IWOTH or _group_writes(status):
        yield warning("writable", path, "others may write it", f"chmod go-w {path}")


def _group_writes(status: os.stat_result) -> bool:
    if not status.st_mode & stat.S_IWGRP:
        return False
    import pwd

    try:
        own = pwd.getpwuid(status.st_uid).pw_gid
    except KeyError:
        return True
    return status.st_gid != own  # a group of one's own is nobody else
