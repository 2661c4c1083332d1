"""Messages of a growing history that were redacted before in the run: they are not read again."""

from __future__ import annotations

from typing import Any, Final

from ._placeholders import numbers_in
from ._regex import Expression
from ._text import to_utf8

__all__ = ["History"]

_MOST: Final = 20_000
_MOST_DEEP: Final = 20
_LARGEST_FLOAT: Final = 1e6  # a larger one equals a whole number, which may be a card's
_MOST_TEXTS: Final = 8_192


class _NotPlainError(Exception):
    """A message is made of more than dicts, lists, texts and numbers."""


class History:
    """Remembers copies of the messages of one list as they left us: nothing to redact is in them.

    A message is known when it equals the copy in its place, so that one that was edited is read
    again.

    Args:
        placeholders: matches placeholders.
    """

    __slots__ = ("_clean", "_odd", "_placeholders", "numbers", "texts")

    def __init__(self, placeholders: Expression) -> None:
        self._placeholders = placeholders
        self._clean: list[Any] = []
        # Where messages stand that are no plain values: they are read each time.
        self._odd: dict[int, None] = {}
        #: The highest number of each tag in the placeholders that stood in the messages.
        self.numbers: dict[str, int] = {}
        #: What became of texts that come again and again, by their keyed hashes.
        self.texts: dict[bytes, str | None] = {}

    def unknown(self, messages: list[Any]) -> list[int]:
        """Return where the messages stand that have to be read."""
        clean = self._clean
        count = min(len(clean), len(messages))
        if not self._odd and messages[:count] == (clean if count == len(clean) else clean[:count]):
            changed = []
        else:
            changed = [at for at in range(count) if at in self._odd or messages[at] != clean[at]]
        return [*changed, *range(count, len(messages))]

    def remember(self, at: int, message: Any) -> None:
        """Keep a copy of a message in which nothing is left to redact.

        Args:
            at: its place in the list.
            message: the message as it was handed on.
        """
        if at >= _MOST:
            return
        texts: list[bytes] = []
        try:
            kept = _copied(message, texts, 0)
        except _NotPlainError:
            kept = None
            self._odd[at] = None
        else:
            self._odd.pop(at, None)
        for tag, number in numbers_in(texts, self._placeholders).items():
            self.numbers[tag] = max(self.numbers.get(tag, 0), number)
        if at < len(self._clean):
            self._clean[at] = kept
        elif at == len(self._clean):
            self._clean.append(kept)

    def keep_text(self, digest: bytes, text: str | None) -> None:
        """Keep what became of a text, None when nothing did."""
        if len(self.texts) >= _MOST_TEXTS:
            self.texts.clear()
        self.texts[digest] = text

    def __repr__(self) -> str:
        return f"<History of {len(self._clean)} messages>"


def _copied(value: Any, texts: list[bytes], depth: int) -> Any:
    kind = type(value)
    if kind is str:
        if "[" in value:
            texts.append(to_utf8(value))
        return value
    if kind is int or kind is bool or value is None:
        return value
    if depth > _MOST_DEEP:
        raise _NotPlainError
    if kind is dict:
        for key in value:
            if type(key) is not str:
                raise _NotPlainError
        return {key: _copied(item, texts, depth + 1) for key, item in value.items()}
    if kind is list:
        return [_copied(item, texts, depth + 1) for item in value]
    if kind is float and abs(value) < _LARGEST_FLOAT:
        return value
    raise _NotPlainError
