"""Files that nobody else may read, and that nobody else may have put there."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

from hookcore import state_folder

from .away import StoreSettingsError

__all__ = ["make_private_file", "state_file"]

_HAS_OWNERS: Final = hasattr(os, "geteuid")
_OTHERS: Final = 0o077
_OTHERS_WRITE: Final = 0o022


def state_file(path: str | os.PathLike[str]) -> Path:
    """Return where a store's file lies.

    Args:
        path: the path in the settings; a relative one is below the user's state folder of hookcore,
            since the working folder may be anybody's.

    Raises:
        StoreSettingsError: it is relative, and the user has no home.
    """
    place = (state_folder() or Path()) / Path(path).expanduser()
    if not place.is_absolute():
        raise StoreSettingsError(f"{path} is below the home folder, and there is none: set HOME")
    return place


def make_private_file(file: Path) -> None:
    """Make a file and its folder where they are not there, closed to others.

    In a folder that only its owner can change nobody can put another file in the place of one that
    was looked at. A file that is there is not opened: to close it again would take away the locks
    that SQLite has on it in another thread.

    Args:
        file: the file.

    Raises:
        StoreSettingsError: it is, or may be, somebody else's; the text says what to do.
        OSError: it cannot be made.
    """
    folder = file.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if _HAS_OWNERS and found.st_uid not in (os.geteuid(), 0):
        raise StoreSettingsError(f"{folder} belongs to another user: use a folder of your own")
    if _HAS_OWNERS and found.st_mode & _OTHERS_WRITE:
        raise StoreSettingsError(
            f"others can write to {folder}: run 'chmod go-w {folder}', or name a folder in it"
        )
    if not os.path.lexists(file):
        # Exclusive: it follows no link, and takes nothing that another has just put there.
        with contextlib.suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    found = file.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise StoreSettingsError(f"{file} is no regular file: remove it, or name another one")
    if not _HAS_OWNERS:
        return
    if found.st_uid != os.geteuid():
        raise StoreSettingsError(f"{file} belongs to another user: name one of your own")
    if found.st_mode & _OTHERS:
        file.chmod(0o600)
