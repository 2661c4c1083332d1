"""Values that the heading of their column gives away: in CSV and in tables of Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Final

from ._regex import compile_bytes
from ._spans import Span

__all__ = ["TableDetector"]

_MARKS: Final = (b",", b";", b"\t", b"|")
_CELL: Final = {
    mark: re.compile(
        rb"[ \t]*(\"(?:[^\"]|\"\")*\"|[^" + re.escape(mark) + rb"]*)(" + re.escape(mark) + rb"|$)"
    )
    for mark in _MARKS
}
_RULE: Final = re.compile(rb"^[|:\- +]+$")
_HEADING: Final = re.compile(rb"^[\w .\-/\"'`*#\x80-\xff]{1,48}$")
_LONGEST: Final = 2000
_MOST_COLUMNS: Final = 64
_QUOTES: Final = b" \t\"'`*"
_MOST_ROWS: Final = 5000

CellJudge = Callable[[str, bytes, int, int], "Span | None"]


class TableDetector:
    """Finds columns with a telling heading, and asks of each value in them what it is.

    Args:
        cores: an expression of what telling headings contain.
        judges: each says what a value under a heading is.
    """

    crowd = "lines"

    def __init__(self, cores: str, judges: Sequence[CellJudge]) -> None:
        self._judges = judges
        core = b"(?i:" + cores.encode("latin-1") + b")"
        hint = core + rb"[A-Za-z0-9_ )-]*[\"`*]*[ \t]*[,;\t|\r\n]"
        self.hints: tuple[bytes, ...] = (hint,)
        self._heading = compile_bytes(hint)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        if b"\n" not in data:
            return
        done = 0
        for match in self._heading.all(data):
            if match.start() < done:
                continue
            end = data.find(b"\n", match.start())
            if end < 0:
                return
            start = data.rfind(b"\n", max(0, end - _LONGEST), match.start()) + 1
            if end - start > _LONGEST:
                done = end
                continue
            mark = _mark_of(data[start:end])
            cells = None if mark is None else _cells(data, start, end, mark)
            if mark is None or cells is None or not _are_headings(data, cells, mark):
                done = end
                continue
            names = [_name(data, cell) for cell in cells]
            done = yield from self._rows(data, end + 1, mark, names)

    def _rows(
        self, data: bytes, at: int, mark: bytes, names: list[str]
    ) -> Generator[Span, None, int]:
        """Yield what is found in the rows below a heading; return where they end."""
        for _ in range(_MOST_ROWS):
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            if end == at or end - at > _LONGEST:
                break
            if not _RULE.match(data[at:end]):
                cells = _cells(data, at, end, mark)
                if cells is None or len(cells) != len(names):
                    break
                for name, cell in zip(names, cells, strict=True):
                    yield from self._in_cell(name, data, cell)
            at = end + 1
            if at >= len(data):
                break
        return at

    def _in_cell(self, name: str, data: bytes, cell: tuple[int, int]) -> Iterator[Span]:
        start, end = cell
        while start < end and data[start] in _QUOTES:
            start += 1
        while end > start and data[end - 1] in _QUOTES:
            end -= 1
        for judge in self._judges:
            if start < end and (span := judge(name, data, start, end)) is not None:
                yield span
                return


def _mark_of(line: bytes) -> bytes | None:
    counts = [(line.count(mark), mark) for mark in _MARKS]
    count, mark = max(counts)
    return mark if 1 <= count < _MOST_COLUMNS else None


def _cells(data: bytes, start: int, end: int, mark: bytes) -> list[tuple[int, int]] | None:
    """Return where the cells of a line stand, None when it is no row."""
    if data[end - 1 : end] == b"\r":
        end -= 1
    cells, at = [], start
    while at <= end:
        match = _CELL[mark].match(data, at, end)
        if match is None:
            return None
        cells.append(match.span(1))
        if not match[2]:
            break
        at = match.end()
    return cells


def _are_headings(data: bytes, cells: list[tuple[int, int]], mark: bytes) -> bool:
    """Tell whether cells are a table's headings, and no list of names that ends in a comma."""
    texts = [data[start:end].strip() for start, end in cells]
    if mark == b"|":
        texts = texts[not texts[0] : len(texts) - (not texts[-1])]
    return len(texts) > 1 and all(_HEADING.match(text) is not None for text in texts)


def _name(data: bytes, cell: tuple[int, int]) -> str:
    return data[cell[0] : cell[1]].strip(_QUOTES).decode("utf-8", "replace")
