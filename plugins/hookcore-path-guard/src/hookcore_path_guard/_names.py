"""Sets of names, written as one text."""

from __future__ import annotations

__all__ = ["names"]


def names(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())
