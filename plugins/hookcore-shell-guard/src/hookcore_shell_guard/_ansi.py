"""Texts in ``$'...'`` quotes."""

from __future__ import annotations

import re
import sys
from typing import Final

_ANSI: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)
_ANSI_LETTERS: Final = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b",
    "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v",
}  # fmt: skip


def unescape(text: str) -> str:
    """Return what ``$'...'`` stands for.

    Args:
        text: what stands between the quotes.
    """

    def replaced(match: re.Match[str]) -> str:
        byte, short, long, octal, control, letter = match.groups()
        digits = byte or short or long
        if digits:
            number = int(digits, 16)
            return chr(number) if number <= sys.maxunicode else ""
        if octal:
            return chr(int(octal, 8) & 255)
        if control:
            return chr(ord(control) & 31)
        return _ANSI_LETTERS.get(letter, letter if letter in "\\'\"?" else "\\" + letter)

    # A NUL ends the text for the shell.
    return _ANSI.sub(replaced, text).split("\0", 1)[0]
