"""Regular expressions that cannot be made slow: RE2, matched on bytes, answering yes or no."""

from __future__ import annotations

from typing import Any

import re2


def to_utf8(text: str) -> bytes | None:
    """Return ``text`` as RE2 reads it, or None when it holds lone surrogates.

    Args:
        text: a name or a value, as it came from outside.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return None


class Regex:
    """One compiled expression.

    Args:
        pattern: the expression in RE2's syntax.
        dot_matches_newline: whether ``.`` also matches a line break.

    Raises:
        ValueError: RE2 cannot compile the expression; the text says why.
    """

    __slots__ = ("_compiled", "pattern")

    def __init__(self, pattern: str, *, dot_matches_newline: bool) -> None:
        options = re2.Options()
        options.dot_nl = dot_matches_newline
        options.never_capture = True
        options.log_errors = False
        self.pattern = pattern
        try:
            self._compiled: Any = re2.compile(pattern, options)
        except re2.error as error:
            raise ValueError(_explanation(error)) from None
        except UnicodeEncodeError:
            raise ValueError("it holds a lone surrogate, which no valid text contains") from None

    def found_in(self, data: bytes) -> bool:
        """Return whether the expression matches anywhere in ``data`` (UTF-8)."""
        return self._compiled.search(data) is not None

    def matches(self, data: bytes) -> bool:
        """Return whether the expression matches the whole of ``data`` (UTF-8)."""
        return self._compiled.fullmatch(data) is not None


def _explanation(error: Exception) -> str:
    text = error.args[0] if error.args else "no reason given"
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    hint = " (RE2 has no look-around and no back-references)" if "invalid perl" in str(text) else ""
    return f"{text}{hint}"
