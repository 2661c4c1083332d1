"""Opening what was checked: the way for a host to close the gap between the check and the use.

A check of a path says where it led when it was made. Whoever can change a folder meanwhile, for
example a command that runs in the background, can make the same path lead elsewhere a moment later.
:func:`open_verified` resolves a path once and then opens that place one component at a time,
following nothing: what was swapped in between makes it fail instead of leading out.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from typing import Final

__all__ = ["ChangedError", "OutsideError", "open_place", "open_verified", "resolve_beneath"]

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
    whole = os.path.join(os.getcwd() if cwd is None else cwd, path)  # noqa: PTH109, PTH118 - texts
    if _has_no_end(whole):
        raise OutsideError(errno.EPERM, "the path leads through links without end", path)
    place = os.path.realpath(whole)
    if not any(_is_beneath(place, os.path.realpath(root)) for root in roots):
        raise OutsideError(errno.EPERM, "the path leads out of the allowed folders", path)
    return place


def _has_no_end(path: str) -> bool:
    # realpath() says nothing of a circle, and returns what it could not resolve.
    try:
        os.stat(path)  # noqa: PTH116 - a text, as every path here
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _is_beneath(place: str, root: str) -> bool:
    return place == root or place.startswith(root.rstrip("/") + "/")


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
        OSError: the file cannot be opened, or not in this way on this system (Windows).
    """
    if os.open not in os.supports_dir_fd:
        raise OSError(errno.ENOTSUP, "this system opens nothing relative to a folder", place)
    # O_PATH needs no right to read the folders on the way; macOS has no such flag.
    way = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
    *folders, name = place.strip("/").split("/")
    folder = os.open("/", way)
    try:
        for part in folders:
            inner = os.open(part, way, dir_fd=folder)
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
