"""Tables of names, written as text: a name a line would take pages."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """Return the names in a text; blanks and lines stand between them.

    Args:
        text: the names.
    """
    return frozenset(text.split())
