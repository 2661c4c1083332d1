"""The verification of a log: every record, in order, against the one before it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from ._folder import Lock, file_name, numbers
from ._links import Links
from ._record import NotARecordError, read_record
from ._report import Anchor, Report
from ._seals import Seals
from ._signing import PublicKey

__all__ = ["verify"]

_LOCK_SECONDS: Final = 2.0
_LONGEST_LINE: Final = 1 << 24
_TRIES: Final = 5


def verify(
    folder: str | Path, *, public_keys: Iterable[str] = (), anchors: Iterable[Anchor] = ()
) -> Report:
    """Verify a log, also while others append to it.

    Args:
        folder: the log's folder.
        public_keys: the keys that may have signed it, each 32 bytes in base64; without any,
            signatures are not looked at.
        anchors: records as they were kept elsewhere.

    Returns:
        What is wrong, and where the log ends.

    Raises:
        ValueError: a key cannot be read.
        OSError: the folder cannot be read.
    """
    folder, keys, wanted = Path(folder), [PublicKey(key) for key in public_keys], list(anchors)
    for _ in range(_TRIES):
        # A writer may remove the oldest file meanwhile.
        with contextlib.suppress(_RemovedError):
            return _verified(folder, keys, wanted)
    raise TimeoutError(f"the files in {folder} are removed faster than they can be read")


class _RemovedError(Exception):
    """A file that was there is there no more."""


def _verified(folder: Path, keys: list[PublicKey], anchors: list[Anchor]) -> Report:
    report = Report()
    links, seals = Links(report), Seals(report, keys, anchors)
    files = _files(folder)
    report.files = len(files)
    for number, size in files.items():
        name, is_last = file_name(number), number == max(files)
        for at, line in enumerate(_lines(folder / name, size), 1):
            whole_line = line.endswith(b"\n")
            try:
                record = read_record(line)
            except NotARecordError as error:
                record, why = None, str(error)
            if not whole_line and is_last:
                report.add("torn", name, at, "the last line is not whole: a writer was killed")
            elif record is None:
                report.add("edit", name, at, f"the line is no record: {why}")
                links.unreadable()
            else:
                if not whole_line:
                    report.add("edit", name, at, "the line has no end")
                report.records += 1
                report.first = record.seq if report.first is None else report.first
                if report.last is None or record.seq >= report.last.seq:
                    report.last = Anchor(record.seq, record.hash)
                links.follow(record, name, at)
                seals.look(record, name, at)
    links.finish()
    seals.finish()
    return report


def _files(folder: Path) -> dict[int, int]:
    """Return the numbers of the files and how long they are, as no writer is at work."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # a copy on a disk without locks, say
            stack.enter_context(Lock(folder).held(_LOCK_SECONDS, shared=True))
        try:
            return {each: (folder / file_name(each)).stat().st_size for each in numbers(folder)}
        except FileNotFoundError as error:
            if not folder.is_dir():
                raise
            raise _RemovedError from error


def _lines(path: Path, size: int) -> Iterator[bytes]:
    """Yield the lines of a file, of which no more than ``size`` bytes are read."""
    try:
        file = path.open("rb")
    except FileNotFoundError as error:
        raise _RemovedError from error
    with file:
        while size > 0:
            line = file.readline(min(size, _LONGEST_LINE))
            if not line:
                return
            size -= len(line)
            yield line
