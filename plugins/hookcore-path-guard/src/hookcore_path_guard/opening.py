"""Opening what was checked: the way for a host to close the gap between the check and the use.

A check of a path says where it led when it was made. Whoever can change a folder meanwhile, for
example a command that runs in the background, can make the same path lead elsewhere a moment later.
:func:`open_verified` resolves a path once and then opens that place one component at a time,
following nothing: what was swapped in between makes it fail instead of leading out.

These functions depend on nothing but the standard library.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from typing import Final

from ._refusals import Refusal
from ._walk import walk

__all__ = ["ChangedError", "OutsideError", "open_place", "open_verified", "resolve_beneath"]

# O_PATH needs no right to read the folders on the way; macOS has no such flag.
_FOLDER: Final = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_SWAPPED: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EMLINK})


class OutsideError(PermissionError):
    """A path that leads out of the folders that were given, or nowhere."""


class ChangedError(PermissionError):
    """A path on which something was replaced by a link after it had been resolved."""


def resolve_beneath(path: str, roots: Iterable[str], *, cwd: str | None = None) -> str:
    """Return the place that a path leads to, if it lies in or below one of the roots.

    Args:
        path: the path, taken literally: no ``~``, no URL.
        roots: folders; links in their own paths are followed.
        cwd: what a relative path begins in, absolute; None for the process's working folder.

    Returns:
        An absolute path without links. What does not exist yet is part of it.

    Raises:
        OutsideError: the path leads elsewhere, or nowhere.
    """
    if not path or "\0" in path:
        raise OutsideError(errno.EPERM, "the path is empty or holds a NUL")
    try:
        start = walk(os.getcwd() if cwd is None else cwd)  # noqa: PTH109 - a string, as all here
        place = walk(path, start)
        places = [walk(os.path.abspath(root)) for root in roots]  # noqa: PTH100 - the same
    except Refusal as refusal:
        raise OutsideError(errno.EPERM, "the path cannot be resolved", path) from refusal
    if not any(place == root or place.startswith(root.rstrip("/") + "/") for root in places):
        raise OutsideError(errno.EPERM, "the path leads out of the allowed folders", path)
    return place


def open_verified(
    path: str,
    flags: int = os.O_RDONLY,
    *,
    roots: Iterable[str],
    cwd: str | None = None,
    mode: int = 0o666,
) -> int:
    """Open a file in or below one of the roots, whatever happens to the path meanwhile.

    Args:
        path: the path, taken literally: no ``~``, no URL.
        flags: as for :func:`os.open`.
        roots: folders; links in their own paths are followed.
        cwd: what a relative path begins in, absolute; None for the process's working folder.
        mode: the rights of a file that is made, before the umask.

    Returns:
        A file descriptor, not inherited by child processes; the caller closes it.

    Raises:
        OutsideError: the path leads elsewhere, or nowhere.
        ChangedError: something on the path was replaced by a link meanwhile.
        OSError: the file cannot be opened.
    """
    return open_place(resolve_beneath(path, roots, cwd=cwd), flags, mode=mode)


def open_place(place: str, flags: int = os.O_RDONLY, *, mode: int = 0o666) -> int:
    """Open a resolved place without following a link anywhere on the way.

    Args:
        place: an absolute path without links, ``.`` and ``..``.
        flags: as for :func:`os.open`.
        mode: the rights of a file that is made, before the umask.

    Returns:
        A file descriptor, not inherited by child processes; the caller closes it.

    Raises:
        ChangedError: there is a link on the way.
        OSError: the file cannot be opened.
    """
    *folders, name = place.strip("/").split("/")
    folder = os.open("/", _FOLDER)
    try:
        for part in folders:
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(name or ".", flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)
    except OSError as error:
        if error.errno in _SWAPPED:
            raise ChangedError(
                error.errno, "the path changed after it was checked", place
            ) from error
        raise
    finally:
        os.close(folder)
