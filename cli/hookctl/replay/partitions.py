"""Stretches of inputs that can be replayed apart from each other."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from .columns import MAGIC, row_groups
from .formats import stands_alone
from .jsontext import JSONTextError, parse_json
from .places import StoreError, expanded, opened, shown, stat
from .stream import BOM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from io import BufferedReader

__all__ = ["LARGEST", "STDIN", "Partition", "plan", "suiting", "whole"]

STDIN = "-"
LARGEST = 8 * 1024 * 1024
"""Bytes of a partition, about, when there is much to do."""
_SMALLEST = 256 * 1024
_PER_JOB = 8
"""Partitions for each process, so that one with many findings does not keep the others waiting."""
_LONGEST_FIRST_LINE = 16 * 1024 * 1024
_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Partition:
    """A stretch of one input; it ends where a line, or a group of rows, ends."""

    name: str
    """The input's name in findings."""
    path: str
    """The file to open, a URL, or `-`."""
    start: int = 0
    """Bytes of the input before it."""
    length: int | None = None
    """Bytes of it; None for all that is left of the input."""
    line: int = 1
    """The number of its first line."""
    size: int | None = None
    """Bytes of the whole input when it was planned; None when they are not known."""
    tag: str | None = None
    """The input's mark when it was planned; None when it may change until it is read."""

    group: int | None = None
    """The first of its groups of rows, in a Parquet file; None for a file of another kind."""
    groups: int = 0
    """The number of its groups of rows; 0 for all."""

    @property
    def follows(self) -> bool:
        """True where it is not its input's first: then each of its lines stands for itself."""
        return self.start > 0

    @property
    def bytes(self) -> int:
        """Bytes to read, as far as they are known."""
        return self.length or self.size or 0

    def __str__(self) -> str:
        is_whole = self.length is None and self.group is None
        return self.name if is_whole else f"{self.name}:{self.line}"

    def to_data(self) -> dict[str, Any]:
        """Give the partition as JSON has it.

        Returns:
            The fields.
        """
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Partition:
        """Make a partition of what `to_data` gave.

        Args:
            data: the fields.

        Returns:
            An equal partition.
        """
        return cls(**data)


def whole(path: str) -> Partition:
    """Make one partition of an input.

    Args:
        path: a file, a URL, or `-`.

    Returns:
        The partition.
    """
    return Partition("stdin" if path == STDIN else shown(path), path)


def suiting(inputs: Sequence[Partition], jobs: int) -> int:
    """Find a size of partitions that gives several processes something to do.

    Args:
        inputs: whole inputs.
        jobs: how many processes there will be.

    Returns:
        Bytes.
    """
    total = sum(_looked_at(one).size or 0 for one in inputs)
    return min(max(total // (jobs * _PER_JOB), _SMALLEST), LARGEST)


def plan(
    inputs: Sequence[str | Partition],
    *,
    size: int = LARGEST,
    forced: str | None = None,
    pinned: bool = False,
) -> list[Partition]:
    """Cut inputs into partitions that can be replayed apart from each other.

    Only JSON lines with a run in each line, and Parquet files, are cut: the records of a session
    belong together, and so does a document of many lines, and what is compressed.

    Args:
        inputs: files, URLs and patterns of them, or partitions that are whole inputs.
        size: bytes of one partition, about.
        forced: the format to read all inputs as, or None to recognise it.
        pinned: whether an input that changes after it was planned must not be replayed.

    Returns:
        The partitions, in the order of the inputs. An input that cannot be read is one partition:
        whoever opens it will tell.

    Raises:
        StoreError: a store cannot be asked now.
    """
    wholes = [
        one
        for given in inputs
        for one in ([given] if isinstance(given, Partition) else map(whole, expanded(given)))
    ]
    cut = [part for one in wholes for part in _cut(_looked_at(one), size, forced)]
    return cut if pinned else [replace(part, tag=None) for part in cut]


def _looked_at(one: Partition) -> Partition:
    try:
        found = stat(one.path)
    except StoreError:
        raise
    except OSError:
        return one
    return replace(one, size=found.size, tag=found.tag)


def _cut(one: Partition, size: int, forced: str | None) -> list[Partition]:
    try:
        with opened(one.path) as stream:
            if stream.peek(len(MAGIC))[: len(MAGIC)] == MAGIC:
                return row_groups(stream, one, size)
            if (one.size or 0) <= size or not _has_runs_in_lines(stream, forced):
                return [one]
        with opened(one.path) as stream:
            parts = list(_stretches(one, stream, size))
            return parts if len(parts) > 1 else [one]
    except StoreError:
        raise
    except OSError:
        return [one]


def _has_runs_in_lines(stream: BufferedReader, forced: str | None) -> bool:
    try:
        value = parse_json(stream.readline(_LONGEST_FIRST_LINE).removeprefix(BOM))
    except JSONTextError:
        return False
    return stands_alone(value, forced)


def _stretches(one: Partition, stream: BufferedReader, size: int) -> Iterator[Partition]:
    start, line = 0, 1
    while True:
        length = lines = 0
        last = b""
        while length < size and (data := stream.read(min(_BLOCK, size - length))):
            length, lines, last = length + len(data), lines + data.count(b"\n"), data[-1:]
        while last not in (b"", b"\n") and (data := stream.readline(_BLOCK)):
            length, lines, last = length + len(data), lines + data.count(b"\n"), data[-1:]
        if not length:
            return
        yield replace(one, start=start, length=length, line=line)
        start, line = start + length, line + lines
