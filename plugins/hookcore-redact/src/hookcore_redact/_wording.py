"""Lists of words, written as words."""

from __future__ import annotations

__all__ = ["words"]


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())
