"""The bounds of a candidate, and whether it is whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

__all__ = [
    "DIGITS",
    "WORD",
    "Check",
    "Place",
    "among_numbers",
    "begins",
    "ends",
    "number_alone",
    "shorter_ends",
]

Place = tuple[int, int]
Check = Callable[[bytes, int, int], "Place | None"]

WORD: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
DIGITS: Final = frozenset(b"0123456789")
_SEPARATED: Final = re.compile(
    rb"(?:(?:^|[^\\])(?:\\\\)*\\(?:[nrtbf]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})"
    rb"|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m)$"
)


def begins(data: bytes, start: int) -> bool:
    """Tell whether no word runs on into a candidate; a written-out escape is no word."""
    if start == 0 or data[start - 1] not in WORD:
        return True
    return _SEPARATED.search(data, max(0, start - 12), start) is not None


def ends(data: bytes, end: int) -> bool:
    """Tell whether no word runs on after a candidate."""
    return end >= len(data) or data[end] not in WORD


def number_alone(data: bytes, start: int, end: int) -> bool:
    """Tell whether a number is whole: no part of a word, of a fraction or of a longer number."""
    if not begins(data, start) or not ends(data, end):
        return False
    if (
        data[max(0, start - 2) : start][-1:] in (b".", b",")
        and data[start - 2 : start - 1].isdigit()
    ):
        return False
    after = data[end : end + 2]
    return not (after[:1] in (b".", b"-") and after[1:].isdigit())


def shorter_ends(data: bytes, start: int, end: int) -> Iterator[int]:
    """Yield where a number in groups may end: the last groups may be another number's."""
    yield end
    for at in range(end - 1, start, -1):
        if data[at] not in DIGITS and data[at - 1] in DIGITS:
            yield at


_NUMBER_BEFORE: Final = re.compile(rb"(?:[0-9]|\[[A-Z][A-Z0-9_]{1,24}(?::[0-9a-f]{8})?\])[ ]$")
_NUMBER_AFTER: Final = re.compile(rb"[ ](?:[0-9]|\[[A-Z][A-Z0-9_]{1,24}(?::[0-9a-f]{8})?\])")


def among_numbers(data: bytes, start: int, end: int) -> bool:
    """Tell whether a number is one of several in a row; a placeholder may stand for one."""
    if _NUMBER_BEFORE.search(data, max(0, start - 36), start) is not None:
        return True
    return _NUMBER_AFTER.match(data, end) is not None
