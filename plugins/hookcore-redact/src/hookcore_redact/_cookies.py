"""Cookies whose values stand for a session."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hookcore import secret_meaning

from ._regex import compile_bytes
from ._spans import Span
from ._values import is_made_by_chance, is_secret_value
from ._wording import words

__all__ = ["CookieDetector"]

_COOKIE: Final = (
    rb"(?i:\b(?:set-)?cookies?|--cookie|[ ]-b)\\*[\"'`]?[ \t]*(?::|=|,|[ ])[ \t]*\\*[\"'`\[({]{0,2}"
    rb"([A-Za-z0-9_.-]{1,64}=[^\r\n\"'\\]+)"
)
_PAIR: Final = re.compile(rb"([A-Za-z0-9_.$-]{1,64})=([^;,\s\"'\\]{1,4096})")
_SESSIONS: Final = re.compile(
    r"sess|sid\b|sid$|auth|token|jwt|csrf|xsrf|login|remember|identity|ticket|secure|user",
    re.IGNORECASE,
)
_ATTRIBUTES: Final = words(
    """
    path domain expires max-age samesite priority version comment lang theme locale
    """
)
_SHORTEST: Final = 6


class CookieDetector:
    """Finds the values of cookies that stand for a session."""

    crowd = "plain"
    hints: tuple[bytes, ...] = (rb"(?i:cookie|[ ]-b)[^=\n]*=",)

    def __init__(self) -> None:
        self._regex = compile_bytes(_COOKIE)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        for match in self._regex.all(data):
            begin, end = match.span(1)
            for pair in _PAIR.finditer(data, begin, end):
                name, value = pair[1].decode(), pair[2].decode("utf-8", "replace")
                if name.lower() in _ATTRIBUTES or len(value) < _SHORTEST:
                    continue
                told = _SESSIONS.search(name) is not None or secret_meaning(name) is not None
                fits = is_secret_value(value, "password", quoted=False) if told else False
                if (fits and any(map(str.isdigit, value))) or is_made_by_chance(value):
                    yield Span(*pair.span(2), "cookie")
