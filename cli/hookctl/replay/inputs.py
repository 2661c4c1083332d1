"""The files of a replay: opening them, and feeding their runs to the engine."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from .formats import read_runs
from .formats.source import Names, TranscriptSource
from .partitions import STDIN, Partition, whole
from .stream import UnreadableInputError, read_items, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .findings import Ledger
    from .model import RecordedRun

__all__ = ["Inputs", "total_bytes"]


class Inputs:
    """Reads inputs one after the other; one that cannot be read does not stop the others.

    Args:
        ledger: told what cannot be read.
        forced: the format to read all inputs as, or None to recognise it.
        names: makes the runs' names unique.
    """

    def __init__(
        self, ledger: Ledger, forced: str | None = None, names: Names | None = None
    ) -> None:
        self._ledger = ledger
        self._forced = forced
        self._names = Names() if names is None else names

    def runs(
        self, path: str, on_bytes: Callable[[int], None] | None = None
    ) -> Iterator[RecordedRun]:
        """Read the runs of one input.

        Args:
            path: a file, or `-` for standard input.
            on_bytes: told the number of bytes as they are read.

        Yields:
            The runs in order. What is wrong with the input is in the ledger afterwards.
        """
        return self.runs_of(whole(path), on_bytes)

    def runs_of(
        self, partition: Partition, on_bytes: Callable[[int], None] | None = None
    ) -> Iterator[RecordedRun]:
        """Read the runs of a part of an input.

        Args:
            partition: the part.
            on_bytes: as for `runs`.

        Yields:
            As `runs` does.
        """
        source = TranscriptSource(partition.name, self._ledger.complain, self._names)
        before, count = self._ledger.malformed, 0
        try:
            with _opened(partition) as stream:
                if partition.follows:
                    line, length = partition.line, partition.length
                    items = read_lines(stream, on_bytes, line=line, length=length)
                else:
                    items = read_items(stream, on_bytes, length=partition.length)
                for run in read_runs(items, source, self._forced, known=partition.follows):
                    count += 1
                    yield run
        except UnreadableInputError as error:
            self._refuse(partition, str(error))
        except OSError as error:
            self._refuse(partition, error.strerror or type(error).__name__)
        else:
            if not (count or partition.follows) and self._ledger.malformed > before:
                self._refuse(partition, "nothing in it can be read as a run")

    def _refuse(self, partition: Partition, reason: str) -> None:
        self._ledger.unreadable.append({"where": partition.name, "reason": reason})


def total_bytes(paths: tuple[str, ...]) -> int | None:
    """Add up the sizes of inputs.

    Args:
        paths: files, or `-`.

    Returns:
        Bytes, or None when one of them has no size to be known.
    """
    try:
        sizes = [Path(path).stat() for path in paths if path != STDIN]
    except OSError:
        return None
    return sum(size.st_size for size in sizes) if len(sizes) == len(paths) else None


@contextmanager
def _opened(partition: Partition) -> Iterator[BinaryIO]:
    if partition.path == STDIN:
        yield sys.stdin.buffer
        return
    with Path(partition.path).open("rb") as stream:
        stream.seek(partition.start)
        yield stream
