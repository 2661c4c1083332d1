"""The expressions of this package: each byte is a character, and most are never needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from typing import Any

from hookcore import Regex, RegexSet

__all__ = ["Expression", "compile_bytes", "regex_set"]


class Expression:
    """One expression, compiled when it is first needed.

    RE2 finds the place, and Python reads the groups in it: RE2 is slow at groups, ten times and
    more, and Python is slow only where it has to look for the place.

    Args:
        pattern: the expression, which both understand alike.
    """

    def __init__(self, pattern: bytes) -> None:
        self._pattern = pattern
        for other in (b"(?", b"\\(", b"[("):
            pattern = pattern.replace(other, b"")
        self._grouped = b"(" in pattern

    @cached_property
    def _regex(self) -> Regex:
        return Regex(self._pattern)

    @cached_property
    def _reader(self) -> re.Pattern[bytes]:
        return re.compile(self._pattern)

    @property
    def groups(self) -> int:
        """The number of its groups."""
        return self._reader.groups if self._grouped else 0

    def found_in(self, data: bytes) -> bool:
        """Tell whether it matches anywhere."""
        return self._regex.found_in(data)

    def at(self, data: bytes, start: int) -> Any:
        """Return the match that begins at ``start``, or None."""
        return self._reader.match(data, start) if self._grouped else self._regex.at(data, start)

    def first(self, data: bytes, start: int = 0) -> Any:
        """Return the first match from ``start`` on, or None."""
        found = self._regex.first(data, start)
        return found if found is None or not self._grouped else self._read(data, *found.span())

    def all(self, data: bytes, start: int = 0) -> Iterator[Any]:
        """Yield the matches from ``start`` on, none of which overlap."""
        matches = self._regex.all(data, start)
        if not self._grouped:
            return matches
        return (self._read(data, *found.span()) for found in matches)

    def _read(self, data: bytes, start: int, end: int) -> Any:
        read = self._reader.match(data, start, end)
        if read is None:  # it looks at what comes after its end
            read = self._reader.match(data, start)
        return read


compile_bytes = cache(Expression)


@lru_cache(maxsize=128)
def regex_set(patterns: tuple[bytes, ...]) -> RegexSet:
    """Return the set of some expressions; making one takes a while."""
    return RegexSet(patterns)
