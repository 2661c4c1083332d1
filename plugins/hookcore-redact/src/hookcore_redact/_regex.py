"""RE2 expressions over bytes: linear in the text, whatever is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import re2

__all__ = ["Regex", "RegexError", "compile_bytes", "compile_utf8", "union"]


class RegexError(ValueError):
    """An expression that RE2 cannot compile; the text says why."""


class Regex:
    """One compiled expression."""

    __slots__ = ("_compiled",)

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    @property
    def groups(self) -> int:
        """How many groups it has."""
        count: int = self._compiled.groups
        return count

    def found_in(self, data: bytes, start: int = 0) -> bool:
        """Tell whether it matches anywhere from ``start`` on."""
        return self._compiled.search(data, start) is not None

    def first(self, data: bytes, start: int = 0) -> Any:
        """Return the first match from ``start`` on, or None."""
        return self._compiled.search(data, start)

    def at(self, data: bytes, start: int) -> Any:
        """Return the match that begins at ``start``, or None."""
        return self._compiled.match(data, start)

    def all(self, data: bytes, start: int = 0) -> Iterator[Any]:
        """Yield the matches from ``start`` on, none of which overlap."""
        matches: Iterator[Any] = self._compiled.finditer(data, start)
        return matches

    def is_whole(self, data: bytes) -> bool:
        """Tell whether it matches the whole of a text."""
        return self._compiled.fullmatch(data) is not None


def compile_bytes(pattern: bytes, *, capture: bool = True) -> Regex:
    """Compile an expression of this package, in which each byte is a character.

    Args:
        pattern: the expression.
        capture: whether its groups are of interest.
    """
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = not capture
    # The union of all expressions is large; with little memory RE2 would search it slowly.
    options.max_mem = 16 << 20
    return _compile(pattern, options)


def compile_utf8(pattern: str) -> Regex:
    """Compile an operator's expression, for UTF-8 text.

    Raises:
        RegexError: RE2 cannot compile it.
    """
    return _compile(pattern.encode(), re2.Options())


def union(patterns: Iterable[bytes]) -> bytes:
    """Return an expression that matches where any of the others does."""
    return b"|".join(b"(?:" + pattern + b")" for pattern in patterns)


def _compile(pattern: bytes, options: Any) -> Regex:
    options.log_errors = False
    try:
        return Regex(re2.compile(pattern, options))
    except re2.error as error:
        text = error.args[0] if error.args else "no reason given"
        text = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
        hint = " (RE2 has no look-around and no back-references)" if "perl" in text else ""
        raise RegexError(f"{text}{hint}") from None
