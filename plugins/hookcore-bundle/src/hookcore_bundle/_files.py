"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["STAGED", "locked", "put", "sync", "write"]

STAGED: Final = ".new-"
"""The beginning of names that nobody relies on yet."""


@contextlib.contextmanager
def locked(file: Path) -> Iterator[None]:
    """Keep other processes out that lock the same file; a killed one holds nothing.

    Args:
        file: it is made when it is not there.

    Raises:
        OSError: it cannot be made.
    """
    descriptor = os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def put(file: Path, data: bytes) -> None:
    """Write a file, or leave what was there.

    Args:
        file: its path.
        data: the whole content.

    Raises:
        OSError: it is as it was before.
    """
    temporary = file.with_name(f"{STAGED}{secrets.token_hex(4)}")
    try:
        write(temporary, data)
        temporary.replace(file)
        sync(file.parent)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def write(file: Path, data: bytes) -> None:
    """Write a new file that everybody may read, and make the disk keep it.

    Raises:
        OSError: it cannot be written, or is there.
    """
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644)
    with os.fdopen(descriptor, "wb") as opened:
        os.fchmod(descriptor, 0o644)  # the agents' users read it, whatever the umask is
        opened.write(data)
        opened.flush()
        os.fsync(descriptor)


def sync(folder: Path) -> None:
    """Make the disk keep the names in a folder.

    Raises:
        OSError: it cannot.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
