"""The nearest right word to a wrong one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["did_you_mean", "nearest"]


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word that *word* most probably stands for.

    Args:
        word: what was written.
        known: the right words.

    Returns:
        The nearest known word, upper and lower case and ``-`` and ``_`` being one; None when
        nothing is near.
    """
    import difflib  # here, because only a mistake needs it and `hookctl list` must start quickly

    folded = {_fold(right): right for right in known}
    found = difflib.get_close_matches(_fold(word), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str], *, prefix: str = "; ") -> str:
    """Word the suggestion that ends an error message.

    Args:
        word: what was written.
        known: the right words.
        prefix: what joins the suggestion to the message before it.

    Returns:
        The suggestion, or an empty string when nothing is near.
    """
    right = nearest(word, known)
    return f'{prefix}did you mean "{right}"?' if right is not None else ""


def _fold(word: str) -> str:
    return word.casefold().replace("_", "-")
