"""The file of lines, rotated by size, that nobody else reads or has put there."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import weakref
from pathlib import Path
from typing import Final

__all__ = ["LineFile", "PlaceError"]

_MINE: Final = 0o600
_OTHERS: Final = 0o077
_HAS_OWNERS: Final = hasattr(os, "geteuid")
# A link is not followed, and nobody waits for who reads a pipe.
_FLAGS: Final = (
    os.O_CREAT
    | os.O_WRONLY
    | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class PlaceError(OSError):
    """Raised when a file is, or may be, somebody else's; the text says what to do."""


class LineFile:
    """Appends lines to a file that only its owner can read, and rotates it by size.

    Each line goes to the file that has the name at that moment: one that was moved or removed is
    made anew.

    Args:
        path: the file.
        max_bytes: the size at which it is rotated.
        backups: how many rotated files are kept.

    Raises:
        PlaceError: a link, a pipe or somebody else's file is in its place.
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path, max_bytes: int, backups: int) -> None:
        self._path = str(path)
        self._max_bytes = max_bytes
        self._backups = backups
        self.renew()
        _check_writable(path)
        _files.add(self)

    def renew(self) -> None:
        """Begin without an open file: at first, and in a child that a fork has made."""
        # Held by a thread that writes, which a child does not have. A signal's handler may call a
        # tool, too.
        self._lock = threading.RLock()
        self._descriptor: int | None = None
        self._place = (0, 0)
        self._size = 0

    def append(self, line: str) -> None:
        """Append one line.

        Args:
            line: the line, without its end.

        Raises:
            OSError: it could not be written, and nothing of it is left in the file.
        """
        data = line.encode() + b"\n"
        with self._lock:
            descriptor = self._current()
            if self._size and self._size + len(data) > self._max_bytes:
                self._rotate()
                descriptor = self._current()
            self._write(descriptor, data)

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        with self._lock:
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is not None:
                os.close(descriptor)

    def _current(self) -> int:
        """Return the open file, after another look at what has its name."""
        if self._descriptor is not None:
            try:
                found = os.lstat(self._path)
            except OSError:
                self.close()
            else:
                if (found.st_ino, found.st_dev) == self._place:
                    self._size = found.st_size
                    return self._descriptor
                self.close()
        self._descriptor = _open(self._path)
        found = os.fstat(self._descriptor)
        self._place, self._size = (found.st_ino, found.st_dev), found.st_size
        return self._descriptor

    def _write(self, descriptor: int, data: bytes) -> None:
        done = 0
        try:
            while done < len(data):
                done += os.write(descriptor, data[done:])
        except OSError:
            if done:  # a disk that is full in the middle of a line
                with contextlib.suppress(OSError):
                    os.ftruncate(descriptor, self._size)
            raise

    def _rotate(self) -> None:
        self.close()
        for number in range(self._backups - 1, 0, -1):
            with contextlib.suppress(FileNotFoundError):
                os.replace(f"{self._path}.{number}", f"{self._path}.{number + 1}")  # noqa: PTH105
        os.replace(self._path, f"{self._path}.1")  # noqa: PTH105 - a string, at each line


def _open(path: str) -> int:
    try:
        descriptor = os.open(path, _FLAGS, _MINE)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EMLINK}:
            raise _wrong(path, "is a link") from None
        if error.errno == errno.ENXIO:
            raise _wrong(path, "is no regular file") from None
        raise
    try:
        _check(path, os.fstat(descriptor))
        if _HAS_OWNERS and os.fstat(descriptor).st_mode & _OTHERS:
            os.fchmod(descriptor, _MINE)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check(path: str, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise _wrong(path, "is a link")
    if not stat.S_ISREG(found.st_mode):
        raise _wrong(path, "is no regular file")
    if _HAS_OWNERS and found.st_uid != os.geteuid():
        raise _wrong(path, "belongs to another user")
    if found.st_nlink > 1:
        raise _wrong(path, "has a second name (a hard link)")


def _wrong(path: str, what: str) -> PlaceError:
    return PlaceError(f"the file {path} {what}: remove it, or set another file")


def _check_writable(path: Path) -> None:
    """Raise what opening the file would raise, without making it: a dry run leaves none behind."""
    if os.path.lexists(path):
        _check(str(path), path.lstat())
        os.close(_open(str(path)))
    elif not os.access(path.parent, os.W_OK | os.X_OK):
        missing = not path.parent.is_dir()
        number = errno.ENOENT if missing else errno.EACCES
        raise OSError(number, os.strerror(number), str(path))


_files: weakref.WeakSet[LineFile] = weakref.WeakSet()


def _after_fork() -> None:
    for each in list(_files):
        each.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
