"""Places in JSON text: what has to be added around a value so that the text stays JSON."""

from __future__ import annotations

import json
import re
from typing import Final

__all__ = ["as_text_in_json", "escaped_at", "is_json", "quote_around"]

_KEY_BEFORE: Final = re.compile(rb"(\\*)\"\s{0,32}:\s{0,32}$")
_ITEM_BEFORE: Final = re.compile(rb"[\[,]\s{0,32}$")
_END: Final = re.compile(rb"\s{0,64}(?:[,}\]]|$)")
_FIRST: Final = re.compile(rb"\s{0,64}(?:data:\s{0,8})?[\[{]")
_QUOTE_BEFORE: Final = re.compile(rb"(\\*)\"[^\"]*$")
_NEAR: Final = 80
_FAR: Final = 4096


def quote_around(data: bytes, start: int, end: int) -> bytes:
    """Return the quote that a text needs in the place of a bare number, nothing where none is.

    Args:
        data: the text around.
        start: where the number begins.
        end: where it ends.
    """
    if not data[start:end].isdigit() or not _END.match(data, end):
        return b""
    key = _KEY_BEFORE.search(data, max(0, start - _NEAR), start)
    if key is not None:
        return key[1] + b'"'
    if _FIRST.match(data) and _ITEM_BEFORE.search(data, max(0, start - _NEAR), start):
        before = _QUOTE_BEFORE.search(data, max(0, start - _FAR), start)
        return b'"' if before is None else before[1] + b'"'
    return b""


def escaped_at(data: bytes, start: int) -> int:
    """Return how deep in JSON texts within JSON texts a place is.

    Args:
        data: a JSON text.
        start: a place within a text in it.
    """
    before = _QUOTE_BEFORE.search(data, max(0, start - _FAR), start)
    return 1 if before is None else (len(before[1]) + 1).bit_length()


def as_text_in_json(text: str, depth: int) -> str:
    """Return a text as it is written in a JSON text, ``depth`` levels deep."""
    for _ in range(depth):
        text = json.dumps(text, ensure_ascii=False)[1:-1]
    return text


def is_json(text: str) -> bool:
    """Tell whether a text is a JSON object or list."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
