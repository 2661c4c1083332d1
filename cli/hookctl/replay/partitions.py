"""Stretches of inputs that can be replayed apart from each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from .formats import stands_alone
from .jsontext import JSONTextError, parse_json
from .stream import BOM

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["STDIN", "Partition", "plan", "whole"]

STDIN = "-"
_SMALLEST = 256 * 1024
_LARGEST = 8 * 1024 * 1024
_PER_JOB = 8
"""Partitions for each process, so that one with many findings does not keep the others waiting."""
_LONGEST_FIRST_LINE = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Partition:
    """A stretch of one input; it ends where a line ends."""

    name: str
    """The input's name in findings."""
    path: str
    """The file to open, or `-`."""
    start: int = 0
    """Bytes of the input before it."""
    length: int | None = None
    """Bytes of it; None for all that is left of the input."""
    line: int = 1
    """The number of its first line."""

    @property
    def follows(self) -> bool:
        """True where it is not its input's first: then each of its lines stands for itself."""
        return self.start > 0

    def __str__(self) -> str:
        return f"{self.name}:{self.line}" if self.length is not None else self.name


def whole(path: str) -> Partition:
    """Make one partition of an input.

    Args:
        path: a file, or `-`.

    Returns:
        The partition.
    """
    return Partition("stdin" if path == STDIN else path, path)


def plan(
    inputs: list[Partition], jobs: int, forced: str | None, size: int | None = None
) -> list[Partition]:
    """Cut inputs so that several processes have something to do.

    Only JSON lines with a run in each line are cut: the records of a session belong together, and
    so does a document of many lines.

    Args:
        inputs: whole inputs, none of them standard input.
        jobs: how many processes there will be.
        forced: the format to read all inputs as, or None to recognise it.
        size: bytes of one partition, about; None for what suits the inputs.

    Returns:
        The partitions, in the order of the inputs. An input that cannot be read is one partition:
        whoever opens it will tell.
    """
    if size is None:
        total = sum(map(_bytes_of, inputs))
        size = min(max(total // (jobs * _PER_JOB), _SMALLEST), _LARGEST)
    return [part for one in inputs for part in _cut(one, size, forced)]


def _bytes_of(partition: Partition) -> int:
    try:
        return Path(partition.path).stat().st_size
    except OSError:
        return 0


def _cut(one: Partition, size: int, forced: str | None) -> list[Partition]:
    try:
        with Path(one.path).open("rb") as stream:
            if not _has_runs_in_lines(stream, forced):
                return [one]
            stream.seek(0)
            parts = list(_stretches(one, stream, size))
            return parts if len(parts) > 1 else [one]
    except OSError:
        return [one]


def _has_runs_in_lines(stream: BinaryIO, forced: str | None) -> bool:
    try:
        value = parse_json(stream.readline(_LONGEST_FIRST_LINE).removeprefix(BOM))
    except JSONTextError:
        return False
    return stands_alone(value, forced)


def _stretches(one: Partition, stream: BinaryIO, size: int) -> Iterator[Partition]:
    start, line = 0, 1
    while data := stream.read(size):
        length, lines = len(data), data.count(b"\n")
        while data and not data.endswith(b"\n"):
            data = stream.readline(size)
            length, lines = length + len(data), lines + data.count(b"\n")
        yield replace(one, start=start, length=length, line=line)
        start, line = start + length, line + lines
