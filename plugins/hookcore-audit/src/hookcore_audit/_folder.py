"""The folder that a log lies in: its files, who may write them, and the lock of its writers."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hookcore import state_folder

__all__ = ["Lock", "PlaceError", "file_name", "log_folder", "make_folder", "numbers", "open_file"]

_NAME: Final = re.compile(r"audit-(\d{8})\.jsonl")
_OTHERS: Final = 0o022
_POLL_SECONDS: Final = 0.002


class PlaceError(OSError):
    """Raised when a file or folder cannot be a log's; the text says what to do."""


def log_folder(path: Path) -> Path:
    """Return the folder that a setting means.

    Args:
        path: as it is in the settings; a relative one lies below the user's state folder.

    Raises:
        PlaceError: it is relative, and the user has no home.
    """
    folder = (state_folder() or Path()) / path.expanduser()
    if not folder.is_absolute():
        raise PlaceError(f"there is no home folder to keep {path} in: set HOME, or a whole path")
    return folder


def make_folder(folder: Path) -> None:
    """Make a folder for its owner alone, unless it is there.

    Raises:
        PlaceError: what is there is no folder, or others may write into it.
        OSError: it cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise PlaceError(f"{folder} is a link or no folder: remove it, or set another path")
    if found.st_uid != os.geteuid():
        raise PlaceError(f"the folder {folder} belongs to another user: set another path")
    if found.st_mode & _OTHERS:
        raise PlaceError(f"others may write into {folder}: chmod go-w {folder}")


def file_name(number: int) -> str:
    """Return the name of a log's file."""
    return f"audit-{number:08d}.jsonl"


def numbers(folder: Path) -> list[int]:
    """Return the numbers of the log's files in a folder, in order.

    Raises:
        OSError: there is no such folder, or it cannot be read.
    """
    found = (_NAME.fullmatch(name) for name in os.listdir(folder))  # noqa: PTH208 - at each batch
    return sorted(int(each[1]) for each in found if each is not None)


def open_file(path: Path) -> int:
    """Open a file of the log to append to, made for its owner alone unless it is there.

    Raises:
        PlaceError: it is no regular file of the user's own.
        OSError: it cannot be opened.
    """
    flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o600)
    found = os.fstat(descriptor)
    if (
        stat.S_ISREG(found.st_mode)
        and found.st_uid == os.geteuid()
        and found.st_nlink == 1
        and not found.st_mode & _OTHERS
    ):
        return descriptor
    os.close(descriptor)
    raise PlaceError(f"{path} is no file that only you can write: move the log's folder away")


class Lock:
    """The lock that a log's writers share; it lies on the folder itself.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._descriptor: int | None = None

    @contextlib.contextmanager
    def held(self, seconds: float, *, shared: bool = False) -> Iterator[None]:
        """Hold the lock for a block.

        Args:
            seconds: how long to wait for it at the most.
            shared: let others in who want it shared.

        Raises:
            TimeoutError: somebody else holds it.
            OSError: the folder cannot be opened, or its file system has no locks.
        """
        end = time.monotonic() + seconds
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        while not self._try(kind | fcntl.LOCK_NB):
            if time.monotonic() >= end:
                raise TimeoutError(f"another process holds the lock on {self._folder}")
            time.sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            if self._descriptor is not None:
                # A child that was forked meanwhile has the descriptor, too: closing is not enough.
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
                self.forget()

    def _try(self, operation: int) -> bool:
        self._descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._descriptor, operation)
            here, there = os.fstat(self._descriptor), self._folder.stat()
            if (here.st_ino, here.st_dev) == (there.st_ino, there.st_dev):
                return True  # and not that of a folder that was moved away meanwhile
        except BlockingIOError:
            pass
        except BaseException:
            self.forget()
            raise
        self.forget()
        return False

    def forget(self) -> None:
        """Close the folder; in a forked child that lets nobody in whom its parent keeps out."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)
