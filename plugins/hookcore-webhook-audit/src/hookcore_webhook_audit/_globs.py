"""Tool patterns, in which only ``*`` is special."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from hookcore import sanitize_tool_name

__all__ = ["ToolPatterns", "matches"]

_REMEMBERED: Final = 4096
_LONGEST: Final = 1024


def matches(pattern: str, name: str) -> bool:
    """Tell whether a pattern matches a whole name; the time is linear in both.

    Args:
        pattern: ``*`` is any run of characters, also an empty one; all else stands for itself.
        name: the name; case counts.
    """
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    last = rest.pop()
    if len(name) < len(first) + len(last):
        return False
    if not (name.startswith(first) and name.endswith(last)):
        return False
    at, end = len(first), len(name) - len(last)
    for piece in rest:
        found = name.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


class ToolPatterns:
    """Tells whether a tool is audited, by its name as the model wrote it or sanitised.

    Args:
        patterns: any one of them is enough; none audits nothing.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(patterns)
        # Names come from a model, so what is remembered about them is bounded.
        self._cached = lru_cache(_REMEMBERED)(self._any)

    def match(self, name: str) -> bool:
        """Tell whether one of the patterns matches a name."""
        return self._cached(name) if len(name) <= _LONGEST else self._any(name)

    def _any(self, name: str) -> bool:
        spellings = {name, sanitize_tool_name(name)}
        return any(matches(pattern, each) for pattern in self._patterns for each in spellings)
