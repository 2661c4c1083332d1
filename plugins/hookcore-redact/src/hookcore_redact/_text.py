"""Rewriting one text: strings, bytes, and what they are the value of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from ._giver import Giver
from ._json import quote_around
from ._scanner import Scanner
from ._spans import Span

__all__ = ["TextRedactor", "from_utf8", "replaced", "to_utf8"]

_MOST_PASSES: Final = 8
_LONG: Final = 1 << 14
_NEAR: Final = 512  # as far as a pattern looks around what it finds
_SMALLEST: Final = 10**6
_LARGEST: Final = 10**19


def to_utf8(text: str) -> bytes:
    """Return a string as the scanner reads it."""
    return text.encode("utf-8", "surrogatepass")


def from_utf8(data: bytes) -> str:
    """Return the string again."""
    return data.decode("utf-8", "surrogatepass")


def replaced(data: bytes, spans: Sequence[Span], giver: Giver, *, tentative: bool = False) -> bytes:
    """Return a text with placeholders in some places of it."""
    return b"".join(_pieces(data, spans, giver, tentative=tentative))


def _pieces(
    data: bytes, spans: Sequence[Span], giver: Giver, *, tentative: bool = False
) -> list[bytes]:
    """Return what stays of a text and the placeholders, by turns."""
    pieces, at = [], 0
    for start, end, kind in spans:
        value = data[start:end]
        made = giver.give(kind, value, tentative=tentative).encode()
        if value.isdigit():
            quote = quote_around(data, start, end)
            made = quote + made + quote
        pieces += [data[at:start], made]
        at = end
    return [*pieces, data[at:]]


def _around(pieces: Sequence[bytes]) -> list[tuple[int, int]]:
    """Return the stretches of a text in which placeholders are new."""
    stretches: list[tuple[int, int]] = []
    at = 0
    for number, piece in enumerate(pieces):
        end = at + len(piece)
        if number % 2:
            start = max(0, at - _NEAR)
            if stretches and start <= stretches[-1][1]:
                start = stretches.pop()[0]
            stretches.append((start, end + _NEAR))
        at = end
    return stretches


class TextMemory(Protocol):
    """The memory of texts that were read before."""

    def digest(self, text: str, name: str | None) -> bytes | None:
        """Return what a text is known by, None when it is not remembered."""
        ...

    def knows(self, digest: bytes) -> bool:
        """Tell whether the text was met before."""
        ...

    def told(self, digest: bytes, text: str) -> str:
        """Return what became of it."""
        ...

    def keep(self, digest: bytes, text: str, redacted: str) -> None:
        """Remember what became of it."""
        ...


def _covered(spans: Sequence[Span], start: int, end: int) -> bool:
    return len(spans) == 1 and (spans[0].start, spans[0].end) == (start, end)


class TextRedactor:
    """Replaces what a scanner finds in texts.

    Args:
        scanner: finds it.
        secrets: finds secrets only, for bytes that are no text.
        giver: gives the placeholders.
        memory: knows what became of texts before in the run.
    """

    __slots__ = ("_giver", "_memory", "_scanner", "_secrets")

    def __init__(
        self, scanner: Scanner, secrets: Scanner, giver: Giver, memory: TextMemory | None = None
    ) -> None:
        self._memory = memory
        self._scanner = scanner
        self._secrets = secrets
        self._giver = giver

    def text(self, text: str, name: str | None = None) -> str:
        """Return a string without what is to be redacted: itself when it holds nothing.

        Args:
            text: the string.
            name: what it is the value of, a key or a field's name.
        """
        memory = self._memory
        digest = None if memory is None else memory.digest(text, name)
        if memory is None or digest is None:
            return self._read(text, name)
        if memory.knows(digest):
            return memory.told(digest, text)
        redacted = self._read(text, name)
        memory.keep(digest, text, redacted)
        return redacted

    def _read(self, text: str, name: str | None) -> str:
        if name is not None and self._scanner.is_telling(name):
            return self._named(text, name)
        if self._scanner.passes_over(text):
            return text
        data = to_utf8(text)
        spans = self._scanner.spans(data)
        return from_utf8(self._rewritten(data, spans, self._scanner)) if spans else text

    def _named(self, text: str, name: str) -> str:
        head = to_utf8(f"{name}: ")
        data = head + to_utf8(text)
        spans = self._of_value(self._scanner.spans(data), len(head))
        whole = self._scanner.whole(name, data[len(head) :])
        if whole is not None and not _covered(spans, len(head), len(data)):
            spans = [Span(len(head), len(data), whole)]
        if not spans:
            return text
        return from_utf8(self._rewritten(data, spans, self._scanner, len(head))[len(head) :])

    @staticmethod
    def _of_value(spans: Sequence[Span], head: int) -> list[Span]:
        return [
            Span(max(span.start, head), span.end, span.kind) for span in spans if span.end > head
        ]

    def number(self, number: int, name: str | None) -> int | str:
        """Return a placeholder for a whole number that is a card's, or a phone's by its name."""
        if not _SMALLEST <= number < _LARGEST:
            return number
        plain = str(number)
        text = self.text(plain, name)
        return number if text is plain else text

    def data(self, data: bytes) -> bytes:
        """Return bytes without what is to be redacted; in what is no text, only secrets are."""
        try:
            data.decode("utf-8")
            scanner = self._scanner
        except UnicodeDecodeError:
            scanner = self._secrets
        spans = scanner.spans(data)
        return self._rewritten(data, spans, scanner) if spans else data

    def _rewritten(
        self, data: bytes, spans: Sequence[Span], scanner: Scanner, head: int = 0
    ) -> bytes:
        """Replace places until nothing is found: what stands beside one may look new without it."""
        for _ in range(_MOST_PASSES):
            pieces = _pieces(data, spans, self._giver)
            data = b"".join(pieces)
            if self._is_clean(data, pieces, scanner):
                break
            spans = self._of_value(scanner.spans(data), head)
            if not spans:
                break
        return data

    @staticmethod
    def _is_clean(data: bytes, pieces: Sequence[bytes], scanner: Scanner) -> bool:
        """Tell whether nothing new shows in a long text around its placeholders."""
        if len(data) < _LONG:
            return False
        stretches = _around(pieces)
        if sum(end - start for start, end in stretches) * 2 > len(data):
            return False
        return not any(scanner.spans(data[start:end]) for start, end in stretches)
