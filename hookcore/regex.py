"""Regular expressions that no text can make slow: RE2, over bytes.

The core itself needs none. This is for plugins whose distributions depend on ``google-re2``, which
is imported when the first expression is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

__all__ = ["Regex", "RegexError", "RegexSet", "to_utf8"]

_MAX_MEM: Final = 64 << 20
"""Bytes that one expression's automaton may take; with less, RE2 keeps making it anew."""
_ALWAYS: Final = rb"\z"
"""Matches every text, only at its end: elsewhere it would keep RE2 from skipping ahead."""


class RegexError(ValueError):
    """An expression that RE2 cannot compile; the text says why."""


def to_utf8(text: str) -> bytes | None:
    """Return a text as RE2 reads it, or None when it holds lone surrogates.

    Args:
        text: a name or a value, as it came from outside.
    """
    try:
        # A subclass of str may say what it likes of itself.
        return str.encode(text, "utf-8")
    except UnicodeEncodeError:
        return None


class Regex:
    """One compiled expression.

    Args:
        pattern: the expression in RE2's syntax; as bytes, each byte of it and of what it is
            searched in is one character.
        dot_matches_newline: whether ``.`` also matches a line break.
        capture: whether its groups are of interest.

    Raises:
        RegexError: RE2 cannot compile it.
        ImportError: google-re2 is not installed.
    """

    __slots__ = ("_compiled", "pattern")

    def __init__(
        self, pattern: str | bytes, *, dot_matches_newline: bool = False, capture: bool = False
    ) -> None:
        re2 = _re2()
        self.pattern = pattern
        options = _options(re2, dot_matches_newline=dot_matches_newline)
        options.never_capture = not capture
        if isinstance(pattern, bytes):
            options.encoding = re2.Options.Encoding.LATIN1
        try:
            self._compiled: Any = re2.compile(_encoded(pattern), options)
        except re2.error as error:
            raise RegexError(_explanation(error)) from None

    @property
    def groups(self) -> int:
        """The number of its groups."""
        count: int = self._compiled.groups
        return count

    def found_in(self, data: bytes, start: int = 0) -> bool:
        """Tell whether it matches anywhere from ``start`` on."""
        return self._compiled.search(data, start) is not None

    def is_whole(self, data: bytes) -> bool:
        """Tell whether it matches the whole of a text."""
        return self._compiled.fullmatch(data) is not None

    def first(self, data: bytes, start: int = 0) -> Any:
        """Return the first match from ``start`` on, in the form of ``re``'s, or None."""
        return self._compiled.search(data, start)

    def at(self, data: bytes, start: int) -> Any:
        """Return the match that begins at ``start``, or None."""
        return self._compiled.match(data, start)

    def all(self, data: bytes, start: int = 0) -> Iterator[Any]:
        """Yield the matches from ``start`` on, none of which overlap."""
        matches: Iterator[Any] = self._compiled.finditer(data, start)
        return matches


class RegexSet:
    """Many expressions that are searched for in one pass over a text.

    Args:
        patterns: each in RE2's syntax; as bytes, each byte of them and of the text is one
            character.
        dot_matches_newline: whether ``.`` also matches a line break.

    Raises:
        RegexError: RE2 cannot compile one of them; ask :class:`Regex` which.
        ImportError: google-re2 is not installed.
    """

    __slots__ = ("_alone", "_dot", "_patterns", "_set")

    def __init__(
        self, patterns: Sequence[str] | Sequence[bytes], *, dot_matches_newline: bool = False
    ) -> None:
        re2 = _re2()
        self._patterns: tuple[str | bytes, ...] = tuple(patterns)
        self._dot = dot_matches_newline
        self._alone: list[Regex] | None = None
        options = _options(re2, dot_matches_newline=dot_matches_newline)
        options.never_capture = True
        if any(isinstance(pattern, bytes) for pattern in self._patterns):
            options.encoding = re2.Options.Encoding.LATIN1
        self._set: Any = re2.Set.SearchSet(options)
        self._set.Add(_ALWAYS)
        try:
            for text in self._patterns:
                self._set.Add(_encoded(text))
            self._set.Compile()
        except re2.error:
            # One is no expression, which this tells; or all are too many for one automaton.
            self._alone, self._set = self._each(), None

    def _each(self) -> list[Regex]:
        return [Regex(text, dot_matches_newline=self._dot) for text in self._patterns]

    def matching(self, data: bytes) -> list[int]:
        """Return the places of the expressions that match anywhere in a text, in their order.

        Args:
            data: the text, as UTF-8 where the expressions are texts.
        """
        found = self._set.Match(data) if self._set is not None else None
        if found:
            # Most texts match nothing else, and there are many short ones.
            return sorted(place - 1 for place in found if place) if len(found) > 1 else []
        # RE2 ran out of memory, which it does not say: what always matches is missing.
        self._alone = self._alone or self._each()
        return [place for place, regex in enumerate(self._alone) if regex.found_in(data)]


def _re2() -> Any:
    try:
        import re2
    except ImportError as error:
        why = f"regular expressions of plugins need google-re2: pip install google-re2 ({error})"
        raise ImportError(why) from error
    return re2


def _options(re2: Any, *, dot_matches_newline: bool) -> Any:
    options = re2.Options()
    options.max_mem = _MAX_MEM
    options.dot_nl = dot_matches_newline
    options.log_errors = False
    return options


def _encoded(pattern: str | bytes) -> bytes:
    data = pattern if isinstance(pattern, bytes) else to_utf8(pattern)
    if data is None:
        raise RegexError("it holds a lone surrogate, which no valid text contains")
    return data


def _explanation(error: Exception) -> str:
    text = error.args[0] if error.args else "no reason given"
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    hint = " (RE2 has no look-around and no back-references)" if "invalid perl" in str(text) else ""
    return f"{text}{hint}"
