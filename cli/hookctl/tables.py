"""Fitting a table into the width of a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["GAP", "fitted", "records", "wrapped"]

GAP = 2
"""Characters between two columns."""
_NARROWEST = 10
_LONGEST_WORD = 30
"""Characters of a word that is broken rather than that its table is not one any more: a path."""


def fitted(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """Choose the widths of columns.

    The first column, which holds what people copy, is never narrowed; the others share what is
    left, those that need less first.

    Args:
        headers: the names of the columns.
        rows: the cells.
        width: characters of a line.

    Returns:
        A width for each column; None where they cannot stand side by side.
    """
    natural = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    left = width - natural[0] - GAP * (len(natural) - 1)
    if sum(natural[1:]) <= left:
        return natural
    needed = [_needed(column) for column in zip(headers, *rows, strict=True)]
    chosen = list(natural)
    waiting = sorted(range(1, len(natural)), key=natural.__getitem__)
    while waiting:
        column, share = waiting[0], left // len(waiting)
        chosen[column] = min(natural[column], share)
        if chosen[column] < needed[column]:
            return None
        left -= chosen[column]
        waiting.pop(0)
    return chosen


def _needed(column: Sequence[str]) -> int:
    """Return the characters without which words that need not be broken would be."""
    words = [len(word) for cell in column for word in cell.split()]
    return max((length for length in words if length <= _LONGEST_WORD), default=_NARROWEST)


def wrapped(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """Write one row in as many lines as it takes; words are broken only where they are too long.

    Args:
        cells: the cells.
        widths: from :func:`fitted`.

    Yields:
        Lines.
    """
    columns = [
        textwrap.wrap(cell, width, break_on_hyphens=False) or [""]
        for cell, width in zip(cells, widths, strict=True)
    ]
    for number in range(max(map(len, columns))):
        parts = [
            (lines[number] if number < len(lines) else "").ljust(width)
            for lines, width in zip(columns, widths, strict=True)
        ]
        yield (" " * GAP).join(parts).rstrip()


def records(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Write a table that is too wide as one block for each row, with its key in the first line.

    Args:
        headers: the names of the columns.
        rows: the cells.
        width: characters of a line.

    Yields:
        Lines, of which only the first of a block may be longer than the width.
    """
    for key, *others in rows:
        yield key
        for header, cell in zip(headers[1:], others, strict=True):
            yield from textwrap.wrap(
                f"{header}: {cell}",
                max(width, 2 * _NARROWEST),
                initial_indent=" " * GAP,
                subsequent_indent=" " * GAP * 2,
                break_on_hyphens=False,
            )
