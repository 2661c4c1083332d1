"""A pass over a text: its place, the brackets and quotes around it, what it has written."""

from __future__ import annotations

import re
from typing import Final

from ._scanned import MAX_DEPTH, MAX_LENGTH, Heredoc, RefusedError

_CONTROL: Final = re.compile(r"[\x00\x0b\x0c\r\x1b\x7f]")
# Blanks to the eye, not to the shell: they would hide where a word begins.
ODD_SPACE: Final = re.compile(r"[^\S \t\n]|[\x1c-\x1f\x85\u200b-\u200f\u2028-\u202e\u2060\ufeff]")


class Pass:
    """The state of a pass, and the steps that all of it is made of.

    Args:
        text: the text.
        docs: the heredocs that were cut out so far.
        depth: how deep the text is nested in others.

    Raises:
        RefusedError: the text is too long, nested too deep, or holds a control character.
    """

    __slots__ = ("at", "claims", "depth", "docs", "out", "size", "stack", "text", "word")

    def __init__(self, text: str, docs: list[Heredoc], depth: int) -> None:
        if len(text) > MAX_LENGTH:
            raise RefusedError(f"it is longer than {MAX_LENGTH:,} characters")
        if depth > MAX_DEPTH:
            raise RefusedError("it is nested too deep")
        if _CONTROL.search(text):
            raise RefusedError("it holds a control character")
        self.text = text
        self.docs = docs
        self.depth = depth
        self.at = 0
        self.size = 0
        self.out: list[str] = []
        self.stack: list[str] = []
        self.claims: list[tuple[int, str]] = []
        self.word = False

    def emit(self, text: str, taken: int) -> None:
        """Write a text in the place of the next ``taken`` characters."""
        self.out.append(text)
        self.size += len(text)
        self.at += taken

    def push(self, context: str, text: str, taken: int) -> None:
        """Enter a quote or bracket."""
        if len(self.stack) > 4 * MAX_DEPTH:
            raise RefusedError("it is nested too deep")
        self.stack.append(context)
        self.emit(text, taken)
        self.word = False

    def escape(self) -> None:
        """Take a backslash and what it protects; a protected newline is nothing at all."""
        pair = self.text[self.at : self.at + 2]
        if pair == "\\\n":
            self.at += 2
            return
        if not pair[1:]:
            raise RefusedError("it ends with a backslash")
        if ODD_SPACE.search(pair):
            raise RefusedError("it holds a character that only looks like a blank")
        self.emit(pair, 2)
        self.word = True

    def past_continuations(self, at: int) -> int:
        """Return the first place from ``at`` on that no line continuation takes away."""
        while self.text.startswith("\\\n", at):
            at += 2
        return at


def taken_by(pattern: re.Pattern[str], text: str, at: int) -> str:
    """Return the characters from a place on that a pattern takes, one at the least."""
    found = pattern.match(text, at)
    return found[0] if found is not None else text[at]
