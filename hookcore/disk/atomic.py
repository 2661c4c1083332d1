"""Changing files so that nobody ever reads half of one, and no two processes mix their changes."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["alone", "replace_file"]

_ENDING = ".new"


@contextlib.contextmanager
def alone(target: Path) -> Iterator[None]:
    """Keep other processes from changing files beside *target*, where the system has such locks.

    Args:
        target: the file that is about to be replaced; its folder must exist.

    Yields:
        Nothing; read and replace the file inside.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(target.parent, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            _sweep(target)
        yield
    finally:
        os.close(descriptor)


def _sweep(target: Path) -> None:
    """Remove what a process left behind that was killed while it wrote; we hold the lock."""
    for name in os.listdir(target.parent):  # noqa: PTH208 - called at each change
        if name.startswith(f".{target.name}.") and name.endswith(_ENDING):
            with contextlib.suppress(OSError):
                target.with_name(name).unlink()


def replace_file(target: Path, data: bytes, *, private: bool = False) -> None:
    """Put new content in place at once.

    Args:
        target: the file; it keeps its owner and mode when it is there.
        data: the whole content.
        private: let nobody but the owner read or write it, whatever its mode was.

    Raises:
        OSError: the file is as it was before.
    """
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied")
    import tempfile  # here, because `hookctl list` must start quickly

    descriptor, temporary = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.name}.", suffix=_ENDING
    )
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if not private:  # mkstemp has made it readable for its owner only
            _keep_owner_and_mode(target, Path(temporary))
        Path(temporary).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _keep_owner_and_mode(target: Path, temporary: Path) -> None:
    if not target.exists():
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        return
    status = target.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(temporary, status.st_uid, status.st_gid)
    temporary.chmod(status.st_mode & 0o7777)
