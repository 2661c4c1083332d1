"""Braces and wildcards in words: whether there are any, and what plain braces come to.

A word may be as long as a command: the ends of what is open are looked for from the far side, once.
"""

from __future__ import annotations

import re
from typing import Final

_PLAIN: Final = re.compile(r"[^\s'\"$`\\<>|&;()]*")
_LONGEST: Final = 1_000
_MOST: Final = 64
_RANGE: Final = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})")
_INNERMOST: Final = re.compile(r"\{([^{}]*)\}")
_BRACE: Final = re.compile(r"(?<![\\$])\{")
_WILDCARD: Final = re.compile(r"(?<!\\)(?:\\\\)*[*?]")
_BRACKET: Final = re.compile(r"(?<!\\)\[")


def has_braces(raw: str) -> bool:
    """Return whether a word as written may hold braces that the shell expands."""
    opened = _BRACE.search(raw)
    if opened is None:
        return False
    inside = raw[opened.end() : max(raw.rfind("}"), 0)]
    return "," in inside or ".." in inside


def is_pattern(raw: str) -> bool:
    """Return whether a word as written may stand for the names of files."""
    if _WILDCARD.search(raw):
        return True
    opened = _BRACKET.search(raw)
    return opened is not None and raw.rfind("]") > opened.start()


def expand_braces(raw: str, limit: int) -> list[str] | None:
    """Return the words that the shell makes of a word with braces.

    Args:
        raw: the word as written.
        limit: the most words.

    Returns:
        The words; None when there are more than ``limit`` or the word holds quotes or expansions,
        which this does not take apart.
    """
    if len(raw) > _LONGEST or not _PLAIN.fullmatch(raw):
        return None
    # Letters, steps and braces that stay as they are: rare, so left unknown.
    done: list[str] = []
    pending = [raw]
    for _ in range(4 * limit):
        if not pending:
            return done if len(done) <= limit else None
        text = pending.pop(0)
        found = _INNERMOST.search(text)
        if found is None:
            done.append(text)
            continue
        choices = _choices(found[1])
        if choices is None or len(choices) > limit:
            return None
        pending[:0] = [text[: found.start()] + choice + text[found.end() :] for choice in choices]
    return None


def _choices(inner: str) -> list[str] | None:
    if "," in inner:
        return inner.split(",")
    numbers = _RANGE.fullmatch(inner)
    if numbers is None or numbers[1].lstrip("-")[:1] == "0" or numbers[2].lstrip("-")[:1] == "0":
        return None
    first, last = int(numbers[1]), int(numbers[2])
    if abs(last - first) > _MOST:
        return None
    step = 1 if last >= first else -1
    return [str(number) for number in range(first, last + step, step)]
