"""Redacting a text that streams: each call sees what is held back so far, and more.

The host gives a hook the text that it returned and that is still held, with new text after it. A
value may have been replaced when only the first part of it was there; so what stood in the held
text before is remembered, and looked at again with what has come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ._giver import Giver
from ._regex import Expression
from ._scanner import Scanner
from ._spans import Span
from ._text import from_utf8, replaced, to_utf8
from ._vault import Vault

__all__ = ["FIRST_HOLD", "Tail", "WindowRedactor"]

FIRST_HOLD: Final = 256
"""Characters that are always held back: as long as anything with spaces in it, before it shows."""
_MOST_HELD: Final = 8192  # what the core accepts; beyond it everything is held
_CONTEXT: Final = 128
_MOST_TAILS: Final = 8
_SPACES: Final = (b" ", b"\n", b"\t")


class Tail(NamedTuple):
    """The part of one stream that is held back."""

    shown: str
    """As the host holds it, with placeholders."""
    raw: bytes
    """As it was."""
    before: bytes
    """The text before it."""
    values: tuple[tuple[str, bytes], ...]
    """Kind and value of what was replaced in it; the last may be the beginning of another."""

    def __repr__(self) -> str:
        return f"<Tail of {len(self.shown)} characters>"


class WindowRedactor:
    """Redacts the held text of streams.

    Args:
        scanner: finds what is to be redacted.
        placeholders: matches placeholders, which are never cut.
        window: the most characters of a word without spaces that are held back for being unknown.
        steady: hold back the whole window always, since a pattern may need it.
    """

    def __init__(
        self, scanner: Scanner, placeholders: Expression, window: int, *, steady: bool
    ) -> None:
        self._scanner = scanner
        self._placeholders = placeholders
        self._window = window
        self._least = window if steady else min(window, FIRST_HOLD)

    @property
    def first_hold(self) -> int:
        """The number of characters to hold back before the first call."""
        return self._least

    def step(self, text: str, tails: list[Tail], vault: Callable[[], Vault]) -> tuple[str, int]:
        """Redact the text that is held, and say how much of it to hold on.

        Args:
            text: what is held back so far, with what has come.
            tails: what was held back after earlier calls; changed by this one.
            vault: gives the vault, when it is needed.

        Returns:
            The rewritten text, and how many characters at its end to hold back.
        """
        tail = _taken(tails, text)
        raw = tail.raw + to_utf8(text[len(tail.shown) :])
        spans = self._spans(tail.before, raw)
        giver = Giver(vault, raw, self._placeholders)
        _take_back(tail, raw, spans, giver)
        cut = self._cut(raw, spans)
        passing, held = [span for span in spans if span.end <= cut], _moved(spans, cut)
        head = from_utf8(replaced(raw[:cut], passing, giver))
        shown = from_utf8(replaced(raw[cut:], held, giver, tentative=True))
        values = tuple((span.kind, raw[cut:][span.start : span.end]) for span in held)
        before = (tail.before + raw[:cut])[-_CONTEXT:]
        if len(shown) > _MOST_HELD:
            tails.append(Tail(head + shown, raw, tail.before, values))
        else:
            tails.append(Tail(shown, raw[cut:], before, values))
        del tails[:-_MOST_TAILS]
        return head + shown, len(tails[-1].shown)

    def _spans(self, before: bytes, raw: bytes) -> list[Span]:
        return _moved(self._scanner.spans(before + raw), len(before))

    def _cut(self, raw: bytes, spans: Sequence[Span]) -> int:
        """Return where the text to hold back begins: at a word, and not within a find."""
        cut = max(0, len(raw) - self._least)
        word = 1 + max(raw.rfind(space, 0, cut) for space in _SPACES)
        cut = max(word, min(cut, len(raw) - self._window))
        ours = [match.span() for match in self._placeholders.all(raw)] if b"[" in raw else []
        for start, end in [*((span.start, span.end) for span in reversed(spans)), *reversed(ours)]:
            if start < cut < end:
                cut = start
        while cut and raw[cut : cut + 1] and raw[cut] & 0xC0 == 0x80:  # noqa: PLR2004 - UTF-8
            cut -= 1
        return cut


def _taken(tails: list[Tail], text: str) -> Tail:
    """Take out the tail that a held text begins with; an empty one when a stream begins."""
    fitting = [tail for tail in tails if text.startswith(tail.shown)]
    tail = max(fitting, key=lambda tail: len(tail.shown), default=None)
    if tail is None:
        return Tail("", b"", b"", ())
    tails.remove(tail)
    return tail


def _take_back(tail: Tail, raw: bytes, spans: Sequence[Span], giver: Giver) -> None:
    """Give back the placeholders of what was held as a value and has become another."""
    now = {(span.kind, raw[span.start : span.end]) for span in spans}
    for kind, value in reversed(tail.values):
        if (kind, value) not in now:
            giver.take_back(kind, value)


def _moved(spans: Sequence[Span], by: int) -> list[Span]:
    return [
        Span(max(0, span.start - by), span.end - by, span.kind) for span in spans if span.end > by
    ]
