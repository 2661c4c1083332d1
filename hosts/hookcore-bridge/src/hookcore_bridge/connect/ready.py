"""Conditions that must hold on this machine before a client is told to call ``hookctl``."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import hookcore
from hookctl.failure import UsageError
from hookctl.further import further_commands

from .calling import thin_client
from .client import Scope

__all__ = ["check_ready", "out_of_reach", "replaceable"]


def check_ready(scope: Scope, *, mcp: bool | None) -> None:
    """Refuse what would leave a client with a hook that cannot run.

    Args:
        scope: whose configuration is to change.
        mcp: whether the proxy for MCP servers is asked for.

    Raises:
        UsageError: the installation cannot serve; the message says what to do.
    """
    if os.name == "nt":
        raise UsageError("clients can be connected on Linux and macOS only")
    if not thin_client().is_file():
        raise UsageError(
            f"{thin_client()} is not there, which clients would call: reinstall hookcore-bridge"
        )
    if mcp and "mcp" not in further_commands():
        raise UsageError("there is no 'hookctl mcp' here: pip install --upgrade hookcore-bridge")
    if mcp and scope == "managed":
        raise UsageError("--mcp changes a user's or a project's servers: leave --managed out")
    if scope != "managed":
        return
    for path in (Path(sys.executable), thin_client(), Path(str(hookcore.__file__))):
        blocked = out_of_reach(path)
        if blocked is not None:
            raise UsageError(
                f"other users cannot run {path}, since {blocked} is closed to them: install "
                "hookcore-bridge where everybody may read it, such as in a venv below /opt"
            )
        open_to_others = replaceable(path)
        if open_to_others is not None:
            raise UsageError(
                f"{open_to_others} can be changed by others than root, and with it what every "
                "user's agent runs: install hookcore-bridge as root, such as in a venv below /opt"
            )


def out_of_reach(path: Path) -> Path | None:
    """Return what keeps users without rights of their own from reading a file, if anything does."""
    for part in _parts(path):
        try:
            status = part.stat()
        except PermissionError:
            return part.parent
        needed = stat.S_IXOTH if stat.S_ISDIR(status.st_mode) else stat.S_IROTH
        if not status.st_mode & needed:
            return part
    return None


def replaceable(path: Path) -> Path | None:
    """Return what lets others than root change a file or put another in its place, if any does."""
    for part in _parts(path):
        try:
            status = part.stat()
        except PermissionError:
            continue  # out of our reach, and so of others'
        sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
        if status.st_uid != 0 or (status.st_mode & stat.S_IWOTH and not sticky):
            return part
    return None


def _parts(path: Path) -> Iterator[Path]:
    """Yield a file, what its links lead through, and the folders above them."""
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        if part.is_symlink():
            waiting.append(part.parent / part.readlink())
        else:
            yield part
        if part.parent != part:
            waiting.append(part.parent)
