"""Event streams: cut into events, each with the bytes that it came in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["MOST_BYTES", "Block", "Splitter", "TooLargeError"]

MOST_BYTES: Final = 64 * 1024 * 1024
"""The size of the largest event that is taken."""
# Lines end with \r\n, \n or \r; a \r at the very end may still become \r\n.
_END: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n|\Z)){2}")
_LINE: Final = re.compile(rb"\r\n|\n|\r")


class TooLargeError(Exception):
    """An event is larger than is taken."""


@dataclass(frozen=True, slots=True)
class Block:
    """The lines between two empty ones of a stream: an event, or a comment.

    Args:
        raw: all of it, with the empty line.
        data: the event's data; None when it has none.
        others: the lines that are no data: comments, the event's name and id.
    """

    raw: bytes
    data: bytes | None
    others: tuple[bytes, ...]

    @classmethod
    def read(cls, raw: bytes) -> Block:
        """Return the block that these bytes are."""
        data, others = [], []
        for line in _LINE.split(raw):
            name, colon, value = line.partition(b":")
            if name == b"data":
                data.append(value.removeprefix(b" ") if colon else b"")
            elif line:
                others.append(line)
        return cls(raw, b"\n".join(data) if data else None, tuple(others))

    def with_data(self, data: bytes) -> bytes:
        """Return the bytes of the same event with other data.

        Args:
            data: the data; each of its lines becomes one of the event.
        """
        lines = [*self.others, *(b"data: " + line for line in data.split(b"\n"))]
        return b"\n".join(lines) + b"\n\n"


class Splitter:
    """Cuts a stream into blocks, however it arrives.

    What comes after the last empty line is no event and is dropped, as clients have to do.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

    def feed(self, piece: bytes) -> Iterator[Block]:
        """Yield the blocks that are whole with this piece.

        Args:
            piece: the bytes that came.

        Raises:
            TooLargeError: an event is larger than is taken.
        """
        buffer = self._buffer
        buffer += piece
        start = 0
        while found := _END.search(buffer, max(start, self._searched)):
            yield Block.read(bytes(buffer[start : found.end()]))
            start = self._searched = found.end()
        del buffer[:start]
        self._searched = max(0, len(buffer) - 3)
        if len(buffer) > MOST_BYTES:
            raise TooLargeError(f"an event of more than {MOST_BYTES} bytes")

    def end(self) -> Iterator[Block]:
        """Yield the last block, whose empty line may still have been in doubt."""
        if self._buffer.endswith((b"\r\r", b"\n\r")):
            yield Block.read(bytes(self._buffer))
