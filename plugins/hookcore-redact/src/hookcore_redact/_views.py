"""Other readings of a text: with its escapes resolved, wherever they stand.

A view is a text with a map back: what is found in it is replaced where it really stands, and what
stands around it stays to the byte.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

__all__ = ["DEEPEST", "LINES", "MARKS", "View", "resolved"]

MARKS: Final = (
    rb"\\[ux/]|\\[0-3][0-7][0-7]|%[0-9A-Fa-f]{2}|&(?:#|[a-z]+;)|\xef[\xbc\xbd\xbb]|\xc2[\xa0\xad]"
    rb"|\xe2(?:\x80[\x80-\x95\xa8-\xaf]|\x88\x92|\x81\xa0)|\xe3\x80\x80"
    rb"|=(?:40[A-Za-z]|3D|2D|5F)"
)
"""Signs that a text can be read in another way."""
LINES: Final = rb"\\n"
"""Ends of lines that are written out."""

_ESCAPE: Final = re.compile(
    rb"\\(?:u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[0-3][0-7]{2}|[\\/\"'nrtbf])|%[0-9A-Fa-f]{2}"
    rb"|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos|commat|period|nbsp|colon"
    rb"|equals|num|plus);"
    rb"|\xef\xbc[\x81-\xbf]|\xef\xbd[\x80-\x9e]|\xc2[\xa0\xad]|\xe2\x80[\x80-\x95\xa8-\xaf]"
    rb"|\xe3\x80\x80"
    rb"|\xe2\x88\x92|\xe2\x81\xa0|\xef\xbb\xbf|=(?:40(?=[A-Za-z])|3D|2D|5F|2E|2B|2F)"
)
_SIMPLE: Final = {110: b"\n", 114: b"\r", 116: b"\t", 98: b"\b", 102: b"\f"}
_SPACES: Final = frozenset(map(chr, (0xA0, *range(0x2000, 0x200B), 0x202F, 0x3000)))
_NOTHING: Final = frozenset(
    map(chr, (0xAD, *range(0x200B, 0x2010), 0x2060, *range(0x202A, 0x202F), 0xFEFF))
)
_DASHES: Final = frozenset(map(chr, (*range(0x2010, 0x2016), 0x2212)))
DEEPEST: Final = 6
"""Levels of escapes that are resolved."""
_FULL_WIDTH: Final = 0xFEE0
_FIRST_OF_LONG: Final = 0x10000


class View:
    """A reading of a text, and where each of its places stands in the text itself.

    Args:
        data: the text as it is read.
        places: places in it at which the distance to the text changes.
        origins: where those places stand in the text.
    """

    __slots__ = ("_origins", "_places", "data")

    def __init__(self, data: bytes, places: list[int], origins: list[int]) -> None:
        self.data = data
        self._places = places
        self._origins = origins

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of the view stands in the text: escapes as a whole."""
        return self._begin(start), self._end(end)

    def _begin(self, place: int) -> int:
        at = bisect_right(self._places, place) - 1
        return self._origins[at] + (place - self._places[at])

    def _end(self, place: int) -> int:
        # The end of the last character, which may have been an escape.
        at = bisect_right(self._places, place - 1) - 1
        if at + 1 < len(self._places) and self._places[at + 1] == place:
            return self._origins[at + 1]
        return self._origins[at] + (place - self._places[at])


def resolved(data: bytes, view: View | None = None) -> View | None:
    """Return a text with its escapes resolved by one level, None when it has none.

    Args:
        data: the text, or what a view of it reads.
        view: that view.
    """
    step = _resolved(data)
    return step if step is None or view is None else _joined(view, step)


def _joined(outer: View, inner: View) -> View:
    """Return a view of a view as one of the text."""
    places = sorted({*inner._places, *_moved(outer, inner)})
    return View(inner.data, places, [outer._begin(inner._begin(place)) for place in places])


def _moved(outer: View, inner: View) -> Iterator[int]:
    """Yield where the outer view's changes stand in the inner one."""
    at = 0
    count = len(inner._places)
    for place in outer._places:
        while at + 1 < count and inner._origins[at + 1] <= place:
            at += 1
        moved = inner._places[at] + (place - inner._origins[at])
        if moved <= (inner._places[at + 1] if at + 1 < count else len(inner.data)):
            yield moved


def _resolved(data: bytes) -> View | None:
    pieces: list[bytes] = []
    places, origins = [0], [0]
    at = length = 0
    changed = False
    for match in _ESCAPE.finditer(data):
        start, end = match.span()
        if start < at:
            continue
        new, end = _character(data, start, end)
        if new is None:
            continue
        changed = True
        pieces += [data[at:start], new]
        length += start - at
        if length != places[-1]:
            places.append(length)
            origins.append(start)
        else:
            origins[-1] = start if not new else origins[-1]
        length += len(new)
        if new:
            places.append(length)
            origins.append(end)
        else:
            origins[-1] = end
        at = end
    if not changed:
        return None
    pieces.append(data[at:])
    return View(b"".join(pieces), places, origins)


def _character(data: bytes, start: int, end: int) -> tuple[bytes | None, int]:
    """Return what an escape stands for, None for itself, and where it ends."""
    raw = data[start:end]
    if raw[:1] == b"\\":
        if raw[1] in b"0123":
            return bytes((int(raw[1:], 8),)), end
        return _backslash(data, raw, end)
    if raw[:1] in (b"%", b"="):
        value = int(raw[1:], 16)
        return (bytes((value,)) if value >= 32 or value in (9, 10, 13) else None), end  # noqa: PLR2004
    if raw[:1] == b"&":
        return _plain(html.unescape(raw.decode())), end
    return _plain(raw.decode("utf-8", "replace")), end


def _backslash(data: bytes, raw: bytes, end: int) -> tuple[bytes | None, int]:
    letter = raw[1]
    if letter in _SIMPLE:
        return _SIMPLE[letter], end
    if letter not in b"ux":
        return raw[1:], end
    code = int(raw[2:].strip(b"{}"), 16)
    if 0xD800 <= code < 0xDC00:  # noqa: PLR2004 - the first half of a pair
        second = data[end : end + 6]
        if second[:2] == b"\\u" and re.fullmatch(rb"[dD][c-fC-F][0-9A-Fa-f]{2}", second[2:]):
            code = 0x10000 + ((code - 0xD800) << 10) + int(second[2:].decode(), 16) - 0xDC00
            return chr(code).encode(), end + 6
        return None, end
    if 0xDC00 <= code < 0xE000 or code > 0x10FFFF:  # noqa: PLR2004 - half a pair, no character
        return None, end
    return _plain(chr(code)) or (b"" if chr(code) in _NOTHING else chr(code).encode()), end


def _plain(text: str) -> bytes | None:
    """Return the plain character that a wide, long or invisible one is read as."""
    for letters, plain in ((_NOTHING, b""), (_SPACES, b" "), (_DASHES, b"-")):
        if text in letters:
            return plain
    if len(text) == 1 and 0xFF01 <= ord(text) <= 0xFF5E:  # noqa: PLR2004 - the wide forms of ASCII
        return chr(ord(text) - _FULL_WIDTH).encode()
    if len(text) == 1 and text.isascii():
        return text.encode()
    if len(text) == 1 and text.isalpha() and ord(text) < _FIRST_OF_LONG:
        return text.encode()
    return None
