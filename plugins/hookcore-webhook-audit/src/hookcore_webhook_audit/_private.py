"""A file that holds what nobody else may read, and that nobody else may have put there."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

__all__ = ["PlaceError", "check_file", "check_folder", "make_file"]

_MINE: Final = 0o600
_OTHERS: Final = 0o077
_OTHERS_WRITE: Final = 0o022
_HAS_OWNERS: Final = hasattr(os, "geteuid")


class PlaceError(OSError):
    """A file or folder is, or may be, somebody else's; the text says which, and what to do."""


def make_file(file: Path) -> None:
    """Make a file and its folder where they are not there, and close them to others.

    The folder is checked first: in one that only its owner can change, nobody can put another
    file in the place of the one that was looked at.

    Args:
        file: the file. It is not opened when it is there: to close it again would take away the
            locks that SQLite has on it in another thread.

    Raises:
        PlaceError: as for :func:`check_folder` and :func:`check_file`.
        OSError: it cannot be made.
    """
    if not file.parent.exists():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_folder(file.parent)
    if not os.path.lexists(file):
        # Exclusive: it follows no link and takes nothing that is there, which another process of
        # ours may just have made; all else is for the check to tell.
        with contextlib.suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, _MINE))
    mode = check_file(file)
    if _HAS_OWNERS and mode & _OTHERS:
        file.chmod(_MINE)


def check_folder(folder: Path) -> None:
    """Check that only its owner, who is this user or root, can put something into a folder.

    Args:
        folder: the folder; it may be reached through a link.

    Raises:
        PlaceError: others can, or it is no folder.
        OSError: it cannot be looked at; a FileNotFoundError where there is none.
    """
    found = folder.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise PlaceError(f"spool_dir: {folder} is no folder")
    if not _HAS_OWNERS:
        return
    if found.st_uid not in (os.geteuid(), 0):
        raise PlaceError(f"spool_dir: {folder} belongs to another user: use one of your own")
    if found.st_mode & _OTHERS_WRITE:
        raise PlaceError(
            f"spool_dir: others can write to {folder}: run 'chmod go-w {folder}', or name a folder "
            "in it, which is made"
        )


def check_file(file: Path) -> int:
    """Check that a file is a plain one of this user's, by one name only, and return its mode.

    Args:
        file: the file.

    Raises:
        PlaceError: it is not.
        OSError: it cannot be looked at; a FileNotFoundError where there is none.
    """
    found = file.lstat()
    what = ""
    if stat.S_ISLNK(found.st_mode):
        what = "is a link"
    elif not stat.S_ISREG(found.st_mode):
        what = "is no regular file"
    elif _HAS_OWNERS and found.st_uid != os.geteuid():
        what = "belongs to another user"
    elif found.st_nlink > 1:
        what = "has a second name (a hard link)"
    if what:
        raise PlaceError(f"the spool {file} {what}: remove it, or set another spool_dir")
    return stat.S_IMODE(found.st_mode)
