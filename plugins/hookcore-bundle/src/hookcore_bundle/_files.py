"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

__all__ = ["STAGED", "put", "sync", "write"]

STAGED: Final = ".new-"
"""The beginning of names that nobody relies on yet."""


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
