"""RE2 expressions over bytes: linear in the text, whatever is in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache, partial
from typing import Any, Final

import re2

__all__ = ["Regex", "RegexError", "RegexSet", "compile_bytes", "compile_utf8", "regex_set"]


class RegexError(ValueError):
    """An expression that RE2 cannot compile; the text says why."""


class Regex:
    """One expression, compiled when it is first needed: most never are.

    Args:
        compiled: makes the compiled expression.
    """

    def __init__(self, compiled: Callable[[], Any]) -> None:
        self._compile = compiled

    @cached_property
    def _compiled(self) -> Any:
        return self._compile()

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


_MEMORY: Final = 64 << 20
"""With little memory RE2 throws its tables away while it searches, and begins anew."""


class RegexSet:
    """Tells in one search which of many expressions match a text.

    Args:
        patterns: the expressions.
    """

    __slots__ = ("_set",)

    def __init__(self, patterns: Iterable[bytes]) -> None:
        self._set = re2.Set.SearchSet(_options(capture=False))
        for pattern in patterns:
            self._set.Add(pattern)
        self._set.Compile()

    def matching(self, data: bytes) -> Sequence[int]:
        """Return the numbers of the expressions that match anywhere in a text."""
        return self._set.Match(data) or ()


@lru_cache(maxsize=32)
def regex_set(patterns: tuple[bytes, ...]) -> RegexSet:
    """Return the set of some expressions; making one takes a while."""
    return RegexSet(patterns)


def _options(*, capture: bool) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = not capture
    options.max_mem = _MEMORY
    options.log_errors = False
    return options


class Grouped(Regex):
    """An expression with groups: RE2 finds the place, and Python reads the groups in it.

    RE2 is slow at groups, ten times and more; Python is slow only where it has to look for the
    place.

    Args:
        pattern: the expression, which both understand alike.
    """

    def __init__(self, pattern: bytes) -> None:
        super().__init__(partial(_compile, pattern, _options(capture=False)))
        self._pattern = pattern

    @property
    def groups(self) -> int:
        """How many groups it has."""
        return self._reader.groups

    @cached_property
    def _reader(self) -> re.Pattern[bytes]:
        return re.compile(self._pattern)

    def first(self, data: bytes, start: int = 0) -> Any:
        """Return the first match from ``start`` on, or None."""
        found = self._compiled.search(data, start)
        return None if found is None else self._read(data, *found.span())

    def all(self, data: bytes, start: int = 0) -> Iterator[Any]:
        """Yield the matches from ``start`` on, none of which overlap."""
        for found in self._compiled.finditer(data, start):
            yield self._read(data, *found.span())

    def _read(self, data: bytes, start: int, end: int) -> Any:
        read = self._reader.match(data, start, end)
        if read is None:  # it looks at what comes after its end
            read = self._reader.match(data, start)
        return read


@cache
def compile_bytes(pattern: bytes) -> Regex:
    """Return an expression of this package, in which each byte is a character.

    Args:
        pattern: the expression.
    """
    if b"(" in pattern.replace(b"(?", b"").replace(b"\\(", b"").replace(b"[(", b""):
        return Grouped(pattern)
    return Regex(partial(_compile, pattern, _options(capture=False)))


def compile_utf8(pattern: str) -> Regex:
    """Compile an operator's expression, for UTF-8 text.

    Raises:
        RegexError: RE2 cannot compile it.
    """
    options = re2.Options()
    options.log_errors = False
    compiled = _compile(pattern.encode(), options)
    return Regex(lambda: compiled)


def _compile(pattern: bytes, options: Any) -> Any:
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        text = error.args[0] if error.args else "no reason given"
        text = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
        hint = " (RE2 has no look-around and no back-references)" if "perl" in text else ""
        raise RegexError(f"{text}{hint}") from None
