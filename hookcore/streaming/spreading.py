"""A rewritten text, spread over the texts that it was put together from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

__all__ = ["spread"]

_MOST_COMPARED = 20_000
"""Characters; comparing takes up to the square of the changed part's length."""


def spread(new: str, old: Sequence[str]) -> list[str]:
    """Return as many texts as there were, which together are the new one.

    What was not changed stays where it was. Where the change leaves no trace of the border between
    two texts, the first of them has it all.

    Args:
        new: the whole text as it is now.
        old: the texts as they were.
    """
    texts = list(old)
    before: list[str] = []
    while texts and new.startswith(texts[0]) and (len(texts) > 1 or new == texts[0]):
        new = new[len(texts[0]) :]
        before.append(texts.pop(0))
    after: list[str] = []
    while len(texts) > 1 and texts[-1] and new.endswith(texts[-1]):
        new = new[: -len(texts[-1])]
        after.insert(0, texts.pop())
    return [*before, *_cut(new, texts), *after]


def _cut(new: str, texts: list[str]) -> list[str]:
    if not texts:
        return []
    whole = "".join(texts)
    if len(texts) == 1 or max(len(new), len(whole)) > _MOST_COMPARED:
        return [new, *[""] * (len(texts) - 1)]
    from difflib import SequenceMatcher  # most programs start without it

    blocks = SequenceMatcher(None, whole, new, autojunk=False).get_matching_blocks()
    cuts, border, at = [0], 0, 0
    for text in texts[:-1]:
        border += len(text)
        # The border follows what stands before it, or what stands behind it.
        for start, place, size in blocks:
            if start < border <= start + size or (start == border and size):
                at = max(at, place + border - start)
                break
            if start > border:
                at = max(at, place)
                break
        cuts.append(at)
    cuts.append(len(new))
    return [new[one:other] for one, other in pairwise(cuts)]
