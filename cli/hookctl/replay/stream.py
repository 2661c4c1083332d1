"""Bytes to JSON values: JSON lines one at a time, any other document whole."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from .jsontext import JSONTextError, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_LINE = 256 * 1024 * 1024
"""Bytes of one line that are read; a longer line is skipped and counted as malformed."""

BOM = b"\xef\xbb\xbf"
"""The mark that some programs put before UTF-8 text."""
_FOREIGN = (
    (b"PK\x03\x04", "it is a zip archive, which is not supported: unpack it first"),
    (b"PAR1", "it is a Parquet file, which cannot be read from standard input: name it"),
    (b"\xff\xfe", "it is UTF-16 text: convert it to UTF-8 first"),
    (b"\xfe\xff", "it is UTF-16 text: convert it to UTF-8 first"),
)


class UnreadableInputError(Exception):
    """An input cannot be replayed at all; the message says why and what to do."""


class DamagedInputError(UnreadableInputError):
    """An input that is cut off or damaged: what could be read of it does not count."""


@dataclass(slots=True)
class Item:
    """One JSON value of an input, and where it stands."""

    value: object
    line: int | None = None
    """The line, from 1, in JSON lines; None for a document of many lines."""
    index: int | None = None
    """The position, from 0, in a document that is a list of runs."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is not JSON."""

    line: int
    reason: str


def read_lines(
    stream: BinaryIO,
    on_bytes: Callable[[int], None] | None = None,
    *,
    line: int = 1,
    length: int | None = None,
) -> Iterator[Item | BadLine]:
    """Read a stretch of JSON lines, each for itself.

    Args:
        stream: the input, open for reading bytes, at the beginning of the stretch.
        on_bytes: told the number of bytes after each line that was read.
        line: the number of the first line.
        length: bytes of the stretch, which ends where a line ends; None for all that is left.

    Yields:
        Each value, or the line that is none.
    """
    return map(_parsed, _numbered_lines(stream, on_bytes or _nobody, line, length))


def read_items(
    stream: BinaryIO,
    on_bytes: Callable[[int], None] | None = None,
    *,
    length: int | None = None,
) -> Iterator[Item | BadLine]:
    """Read JSON lines or one JSON document.

    JSON lines are handed on one by one, so that memory is bounded by the longest line.

    Args:
        stream: the input, open for reading bytes.
        on_bytes: told the number of bytes after each line that was read.
        length: bytes to read, up to where a line ends; None for all that is left.

    Yields:
        Each value, or the line that is none.

    Raises:
        UnreadableInputError: the input is an archive, not UTF-8, or a broken document.
    """
    lines = _numbered_lines(stream, on_bytes or _nobody, 1, length)
    first = next(lines, None)
    if first is None:
        return
    item = _parsed(first)
    if isinstance(item, BadLine) and _opens_document(first.text):
        yield from _document(first, lines)
        return
    yield item
    yield from map(_parsed, lines)


@dataclass(slots=True)
class _Line:
    number: int
    text: bytes | None


def _nobody(_count: int) -> None:
    """Tell nobody how many bytes were read."""


def _numbered_lines(
    stream: BinaryIO, on_bytes: Callable[[int], None], first: int, length: int | None
) -> Iterator[_Line]:
    """Yield the lines that are not blank; `text` is None for one that is too long."""
    left = math.inf if length is None else length
    for number in itertools.count(first):
        raw = stream.readline(MAX_LINE + 1) if left > 0 else b""
        if not raw:
            return
        on_bytes(len(raw))
        left -= len(raw)
        if number == 1:
            _refuse_foreign(raw)
            raw = raw.removeprefix(BOM)
        if len(raw) > MAX_LINE:
            left -= _skip_line(stream, raw, on_bytes)
            yield _Line(number, None)
        elif text := raw.strip():
            yield _Line(number, text)


def _refuse_foreign(head: bytes) -> None:
    for magic, reason in _FOREIGN:
        if head.startswith(magic):
            raise UnreadableInputError(reason)


def _skip_line(stream: BinaryIO, raw: bytes, on_bytes: Callable[[int], None]) -> int:
    """Read to the end of a line and return the number of bytes."""
    skipped = 0
    while raw and not raw.endswith(b"\n"):
        raw = stream.readline(1024 * 1024)
        skipped += len(raw)
        on_bytes(len(raw))
    return skipped


def _parsed(line: _Line) -> Item | BadLine:
    if line.text is None:
        return BadLine(line.number, f"longer than {MAX_LINE // (1024 * 1024)} MiB")
    try:
        return Item(parse_json(line.text), line=line.number)
    except JSONTextError as error:
        return BadLine(line.number, str(error))


def _opens_document(text: bytes | None) -> bool:
    """Tell the first line of an indented document from a damaged JSON line."""
    return text is not None and text[:1] in (b"{", b"[") and text[-1:] in (b"{", b"[", b",", b":")


def _document(first: _Line, rest: Iterator[_Line]) -> Iterator[Item | BadLine]:
    lines = [first, *rest]
    try:
        yield Item(parse_json(_joined(lines)))
    except JSONTextError as error:
        items = [_parsed(line) for line in lines]
        if not any(isinstance(item, Item) and isinstance(item.value, dict) for item in items):
            raise UnreadableInputError(str(error)) from None
        yield from items


def _joined(lines: list[_Line]) -> bytes:
    """Put the lines together again, blank ones included, so that an error names the right one."""
    number, parts = 1, []
    for line in lines:
        parts.append(b"\n" * (line.number - number))
        parts.append(line.text or b"")
        number = line.number
    return b"".join(parts)
