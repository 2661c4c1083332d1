"""The rotating file."""

from __future__ import annotations

import errno
import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

__all__ = ["LineFile"]


class LineFile:
    """Appends lines to a file that only its owner can read, and rotates it by size.

    Args:
        path: the file.
        max_bytes: the size at which it is rotated.
        backups: how many rotated files are kept.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path, max_bytes: int, backups: int) -> None:
        _check_writable(path)
        self._handler = _Handler(
            path, maxBytes=max_bytes, backupCount=backups, encoding="utf-8", delay=True
        )
        self._handler.rotator = _rotate

    def append(self, line: str) -> None:
        """Append one line.

        Args:
            line: the line, without its end.

        Raises:
            OSError: it could not be written.
        """
        record = logging.LogRecord("", logging.INFO, "", 0, line, None, None)
        self._handler.handle(record)

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        self._handler.close()


class _Handler(RotatingFileHandler):
    """Lets the caller know when a line could not be written, where others print a traceback."""

    def _open(self) -> TextIOWrapper:
        _make_private(self.baseFilename)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - logging's names
        raise  # noqa: PLE0704 - logging calls this while it handles the exception


def _rotate(source: str, target: str) -> None:
    if Path(source).exists():
        Path(source).replace(target)
    _make_private(source)


def _check_writable(path: Path) -> None:
    """Raise what opening the file would raise, without making it: a dry run leaves none behind."""
    if path.exists():
        _make_private(str(path))
    elif not os.access(path.parent, os.W_OK | os.X_OK):
        missing = not path.parent.is_dir()
        number = errno.ENOENT if missing else errno.EACCES
        raise OSError(number, os.strerror(number), str(path))


def _make_private(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600))
