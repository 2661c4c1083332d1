"""The files of a replay: opening them, and feeding their runs to the engine."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from typing import TYPE_CHECKING, Any

from .columns import MAGIC, read_rows
from .formats import read_runs
from .formats.source import TranscriptSource
from .packed import is_packed, unpacked
from .partitions import STDIN, Partition, whole
from .places import StoreError, is_url, opened, stat
from .stream import DamagedInputError, UnreadableInputError, read_items, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .findings import Ledger
    from .model import RecordedRun
    from .stream import BadLine, Item

__all__ = ["ChangedInputError", "Inputs", "total_bytes"]


_HEAD = 6
"""Bytes that tell what kind of file an input is."""


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
            DamagedInputError: the input is cut off or damaged; nothing of it should count.
        """
        source = TranscriptSource(partition.name, self._ledger.complain, self._ledger.names)
        before, count = self._ledger.malformed, 0
        try:
            with _opened(partition) as stream, ExitStack() as stack:
                items = _items(partition, stream, on_bytes, stack)
                for run in read_runs(items, source, self._forced, known=partition.follows):
                    count += 1
                    yield run
        except DamagedInputError:
            raise
        except UnreadableInputError as error:
            self._ledger.refuse(partition.name, str(error))
        except (StoreError, ChangedInputError):
            raise
        except OSError as error:
            self._ledger.refuse(partition.name, error.strerror or type(error).__name__)
        else:
            if not (count or partition.follows) and self._ledger.malformed > before:
                self._ledger.refuse(partition.name, "nothing in it can be read as a run")


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


def _items(
    partition: Partition,
    stream: BufferedReader,
    on_bytes: Callable[[int], None] | None,
    stack: ExitStack,
) -> Iterator[Item | BadLine]:
    """Read the values of a partition, whatever its file is."""
    if partition.follows:
        return read_lines(stream, on_bytes, line=partition.line, length=partition.length)
    head = stream.peek(_HEAD)[:_HEAD]
    if partition.path != STDIN and head.startswith(MAGIC):
        return read_rows(stream, partition)
    if is_packed(head):
        return read_items(stack.enter_context(unpacked(stream, head, on_bytes)))
    return read_items(stream, on_bytes, length=partition.length)


@contextmanager
def _opened(partition: Partition) -> Iterator[BufferedReader]:
    if partition.path == STDIN:
        stdin: Any = sys.stdin.buffer
        yield stdin if hasattr(stdin, "peek") else BufferedReader(stdin)
        return
    if partition.tag is not None:
        now = stat(partition.path)
        if (now.size, now.tag) != (partition.size, partition.tag):
            raise ChangedInputError(f"{partition.name} has changed since it was planned")
    with opened(partition.path, partition.start) as stream:
        yield stream
