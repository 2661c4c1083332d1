"""Patterns for tool names: ``*``, ``?``, ``[abc]``, ``[!a-z]``, and which of them cover which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hookcore import sanitize_tool_name

from ._names import MAX_NAME, ToolName
from ._regex import Regex, to_utf8


@dataclass(frozen=True, slots=True)
class _Class:
    """A set of characters, from ``[...]``."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool

    def holds(self, char: str) -> bool:
        return any(low <= char <= high for low, high in self.ranges) is not self.negated

    def regex(self) -> str:
        inner = "".join(f"{_escaped(low)}-{_escaped(high)}" for low, high in self.ranges)
        return f"[{'^' if self.negated else ''}{inner}]"


class _Star:
    """Any run of characters, from ``*``."""


class _Any:
    """Any one character, from ``?``."""


_STAR: Final = _Star()
_ANY: Final = _Any()
_Token = str | _Class | _Star | _Any


class Glob:
    """One pattern for tool names.

    Args:
        text: the pattern as it was written.

    Raises:
        ValueError: the pattern is empty, too long or malformed; the text says why.
    """

    __slots__ = ("_regex", "_tokens", "plain", "text")

    def __init__(self, text: str) -> None:
        _check(text)
        self.text = text
        self._tokens = _tidied(_parsed(text))
        self._regex = None if self.is_exact else _compiled(self._tokens)
        # Without wildcards the pattern is a name, and a host may know the tool by either form.
        self.plain = sanitize_tool_name(self.name) if self.is_exact else ""

    @property
    def is_exact(self) -> bool:
        """Whether the pattern has no wildcards and so stands for one name."""
        return all(isinstance(token, str) for token in self._tokens)

    @property
    def name(self) -> str:
        """The one name of an exact pattern (brackets around a single character are taken off)."""
        return "".join(token for token in self._tokens if isinstance(token, str))

    def matches_as_written(self, name: ToolName) -> bool:
        """Return whether the pattern matches the name exactly as the model wrote it."""
        if self._regex is None:
            return name.text == self.name
        return name.utf8 is not None and self._regex.matches(name.utf8)

    def matches_any_form(self, name: ToolName) -> bool:
        """Return whether the pattern matches the name as written, or sanitised."""
        if self.matches_as_written(name):
            return True
        if self._regex is None:
            forms = (self.name, self.plain)
            return name.text in forms or (name.plain != "" and name.plain in forms)
        return any(self._regex.matches(form) for form in name.plain_forms)

    def covers(self, other: Glob) -> bool:
        """Return True only if this pattern matches every name, as written, that ``other`` does."""
        return _covers(self._tokens, other._tokens)


def _check(text: str) -> None:
    if not text:
        raise ValueError("it is empty")
    if text != text.strip():
        raise ValueError("it has spaces around it")
    if len(text) > MAX_NAME:
        raise ValueError(
            f"it is longer than {MAX_NAME} characters, and no such name is let through"
        )
    if to_utf8(text) is None:
        raise ValueError("it holds a lone surrogate, which no valid name contains")


def _parsed(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while position < len(text):
        char = text[position]
        position += 1
        if char == "[":
            token, position = _parsed_class(text, position)
            tokens.append(token)
        else:
            tokens.append(_STAR if char == "*" else _ANY if char == "?" else char)
    return tokens


def _parsed_class(text: str, position: int) -> tuple[_Token, int]:
    """Return the class that opened just before ``position``, and the place after its end."""
    negated = text[position : position + 1] == "!"
    start = position + negated
    # As in every shell, a bracket right after the opening one stands for itself.
    end = text.find("]", start + 1)
    if end < 0:
        raise ValueError('"[" is not closed; write "[[]" for the bracket itself')
    ranges = _ranges(text[start:end])
    if not negated and len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return ranges[0][0], end + 1
    return _Class(tuple(ranges), negated), end + 1


def _ranges(inner: str) -> list[tuple[str, str]]:
    ranges: list[tuple[str, str]] = []
    position = 0
    while position < len(inner):
        low, high, width = inner[position], inner[position], 1
        if inner[position + 1 : position + 2] == "-" and position + 2 < len(inner):
            high, width = inner[position + 2], 3
        if low > high:
            raise ValueError(f'"[{low}-{high}]" runs backwards and matches nothing')
        ranges.append((low, high))
        position += width
    return ranges


def _tidied(tokens: list[_Token]) -> tuple[_Token, ...]:
    """Bring every run of ``*`` and ``?`` into one order, so that equal patterns look equal."""
    result: list[_Token] = []
    starred = False
    for token in tokens:
        if token is _STAR:
            starred = True
            continue
        if starred and token is not _ANY:
            result.append(_STAR)
            starred = False
        result.append(token)
    if starred:
        result.append(_STAR)
    return tuple(result)


def _compiled(tokens: tuple[_Token, ...]) -> Regex:
    pattern = "".join(_regex_piece(token) for token in tokens)
    return Regex(pattern, dot_matches_newline=True)


def _regex_piece(token: _Token) -> str:
    if isinstance(token, str):
        return _escaped(token)
    if isinstance(token, _Class):
        return token.regex()
    return ".*" if token is _STAR else "."


def _escaped(char: str) -> str:
    return char if char.isascii() and char.isalnum() else f"\\x{{{ord(char):x}}}"


def _covers(wide: tuple[_Token, ...], narrow: tuple[_Token, ...]) -> bool:
    """Match ``wide`` against ``narrow`` as if the latter were a name; a star swallows any run."""
    at_wide = at_narrow = 0
    star = restart = -1
    while at_narrow < len(narrow):
        if at_wide < len(wide) and wide[at_wide] is _STAR:
            star, restart = at_wide, at_narrow
            at_wide += 1
        elif at_wide < len(wide) and _covers_one(wide[at_wide], narrow[at_narrow]):
            at_wide += 1
            at_narrow += 1
        elif star >= 0:
            restart += 1
            at_wide, at_narrow = star + 1, restart
        else:
            return False
    return all(token is _STAR for token in wide[at_wide:])


def _covers_one(wide: _Token, narrow: _Token) -> bool:
    if narrow is _STAR:
        return False
    if wide is _ANY or wide == narrow:
        return True
    return isinstance(wide, _Class) and isinstance(narrow, str) and wide.holds(narrow)
