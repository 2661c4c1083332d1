"""The differences of two texts, word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORD = re.compile(r"\S+\s*|\s+")
_LONGEST_WORD = 1_000
_MOST_CHARACTERS = 200_000
_MOST_WORDS = 2_000
"""The bound on aligning word by word; where more differs, all between is one hunk."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One stretch of a text that was replaced."""

    removed: str
    inserted: str
    start: int
    """The place in the new text where `inserted` begins."""


def text_hunks(before: str, after: str) -> list[Hunk]:
    """Compare two texts.

    Args:
        before: the old text.
        after: the new text.

    Returns:
        The stretches that differ, in whole words.
    """
    head = _word_start(before, after, common_length(before, after))
    tail = _word_end(before, after, head)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(old) + len(new) > _MOST_CHARACTERS:
        return [_trimmed(old, new, head)]
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    if len(old_words) + len(new_words) > _MOST_WORDS:
        return [_trimmed(old, new, head)]
    return _hunks(old_words, new_words, head)


def common_length(left: str, right: str) -> int:
    """Count the characters that two texts have in common at their beginning.

    Args:
        left: one text.
        right: the other.

    Returns:
        The number of characters up to the first that differs.
    """
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _word_start(before: str, after: str, common: int) -> int:
    """Step back to where the first word that differs begins, in either text."""
    if _space_at(before, common) or _space_at(after, common):
        common = max(0, common - 1)
    start = common
    while start and not before[start - 1].isspace():
        if common - start > _LONGEST_WORD:
            return common
        start -= 1
    return start


def _word_end(before: str, after: str, head: int) -> int:
    """Count the characters after the last word that differs."""
    low, high = 0, min(len(before), len(after)) - head
    while low < high:
        middle = (low + high + 1) // 2
        if before[len(before) - middle :] == after[len(after) - middle :]:
            low = middle
        else:
            high = middle - 1
    count = low
    while count and not before[len(before) - count].isspace():
        if low - count > _LONGEST_WORD:
            return low
        count -= 1
    return count


def _space_at(text: str, position: int) -> bool:
    return position < len(text) and text[position].isspace()


def _hunks(old: list[str], new: list[str], start: int) -> list[Hunk]:
    hunks: list[Hunk] = []
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            place = start + sum(map(len, new[:j]))
            hunks.append(_trimmed("".join(old[i:i_end]), "".join(new[j:j_end]), place))
    return hunks


def _trimmed(removed: str, inserted: str, start: int) -> Hunk:
    """Leave out the space around a hunk that both texts have."""
    if removed and inserted:
        head = common_length(_spaces(removed), _spaces(inserted))
        removed, inserted, start = removed[head:], inserted[head:], start + head
        tail = common_length(_spaces(removed[::-1]), _spaces(inserted[::-1]))
        removed, inserted = removed[: len(removed) - tail], inserted[: len(inserted) - tail]
    return Hunk(removed, inserted, start)


def _spaces(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]
