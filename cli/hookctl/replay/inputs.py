"""The files of a replay: opening them, and feeding their runs to the engine."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from .formats import read_runs
from .formats.source import TranscriptSource
from .partitions import STDIN, Partition, whole
from .places import StoreError, is_url, opened, stat
from .stream import UnreadableInputError, read_items, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .findings import Ledger
    from .model import RecordedRun

__all__ = ["ChangedInputError", "Inputs", "total_bytes"]


class ChangedInputError(OSError):
    """An input is not what the plan saw."""


class Inputs:
    """Reads inputs one after the other; one that cannot be read does not stop the others.

    Args:
        ledger: told what cannot be read; its names make those of the runs unique.
        forced: the format to read all inputs as, or None to recognise it.
    """

    def __init__(self, ledger: Ledger, forced: str | None = None) -> None:
        self._ledger = ledger
        self._forced = forced

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

        Raises:
            OSError: a store cannot be reached, or the input is not what was planned.
        """
        source = TranscriptSource(partition.name, self._ledger.complain, self._ledger.names)
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
        except (StoreError, ChangedInputError):
            raise
        except OSError as error:
            self._refuse(partition, error.strerror or type(error).__name__)
        else:
            if not (count or partition.follows) and self._ledger.malformed > before:
                self._refuse(partition, "nothing in it can be read as a run")

    def _refuse(self, partition: Partition, reason: str) -> None:
        self._ledger.unreadable.append({"where": partition.name, "reason": reason})


def total_bytes(paths: Sequence[str]) -> int | None:
    """Add up the sizes of inputs.

    Args:
        paths: files, URLs, or `-`.

    Returns:
        Bytes, or None when one of them has no size to be known.
    """
    try:
        sizes = [stat(path).size for path in paths if path != STDIN and not is_url(path)]
    except OSError:
        return None
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(paths) else None


@contextmanager
def _opened(partition: Partition) -> Iterator[BinaryIO]:
    if partition.path == STDIN:
        yield sys.stdin.buffer
        return
    if partition.tag is not None:
        now = stat(partition.path)
        if (now.size, now.tag) != (partition.size, partition.tag):
            raise ChangedInputError(f"{partition.name} has changed since it was planned")
    with opened(partition.path, partition.start) as stream:
        yield stream
