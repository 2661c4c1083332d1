"""The files of a replay: opening them, and feeding their runs to the engine."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from .formats import read_runs
from .formats.source import Names, TranscriptSource
from .stream import UnreadableInputError, read_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .findings import Ledger
    from .model import RecordedRun

STDIN = "-"


class Inputs:
    """Reads inputs one after the other; one that cannot be read does not stop the others.

    Args:
        ledger: told what cannot be read.
        forced: the format to read all inputs as, or None to recognise it.
    """

    def __init__(self, ledger: Ledger, forced: str | None = None) -> None:
        self._ledger = ledger
        self._forced = forced
        self._names = Names()

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
        name = "stdin" if path == STDIN else path
        source = TranscriptSource(name, self._ledger.complain, self._names)
        before, count = self._ledger.malformed, 0
        try:
            with _opened(path) as stream:
                items = read_items(stream, on_bytes)
                for run in read_runs(items, source, self._forced):
                    count += 1
                    yield run
        except UnreadableInputError as error:
            self._refuse(name, str(error))
        except OSError as error:
            self._refuse(name, error.strerror or type(error).__name__)
        else:
            if not count and self._ledger.malformed > before:
                self._refuse(name, "nothing in it can be read as a run")

    def _refuse(self, name: str, reason: str) -> None:
        self._ledger.unreadable.append({"where": name, "reason": reason})


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
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == STDIN:
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as stream:
        yield stream
