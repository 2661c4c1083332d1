"""Messages of a growing history that were redacted before in the run: they are not read again."""

from __future__ import annotations

import hashlib
import marshal
from operator import eq
from typing import Any, Final

from ._placeholders import numbers_in
from ._regex import Expression
from ._seen import Looker, NeverSeen, NotSeenError, Seen
from ._text import to_utf8

__all__ = ["History"]

_MOST: Final = 20_000
_MOST_DEEP: Final = 20
_EXACT: Final = 2
"""The form of marshal in which equal data of equal types are equal bytes."""
_LARGEST_FLOAT: Final = 1e6  # a larger one equals a whole number, which may be a card's
_MOST_TEXTS: Final = 8_192


class _NotPlainError(Exception):
    """A message is made of more than dicts, lists, texts and numbers."""


class History:
    """Remembers copies of the messages of one list as they left us: nothing to redact is in them.

    A message is known when it equals the copy in its place, so that one that was edited is read
    again. Of a message that is an object the copy is what it was made of.

    Args:
        placeholders: matches placeholders.
        key: what messages are hashed with.
    """

    __slots__ = ("_clean", "_key", "_looker", "_placeholders", "_was", "numbers", "texts")

    def __init__(self, placeholders: Expression, key: bytes) -> None:
        self._placeholders = placeholders
        self._key = key
        self._clean: list[Any] = []
        self._looker = Looker()
        # What messages were before something in them was redacted, as keyed hashes: a host that
        # does not take what we hand on shows them again.
        self._was: dict[int, bytes] = {}
        #: The highest number of each tag in the placeholders that stood in the messages.
        self.numbers: dict[str, int] = {}
        #: What became of texts that come again and again, by their keyed hashes.
        self.texts: dict[bytes, str | None] = {}

    def known(self, messages: list[Any]) -> tuple[list[Any], list[int]]:
        """Return the messages with what became of those that are known, and where others stand.

        Args:
            messages: the messages; the same list is returned when nothing of it is another.
        """
        result, places = messages, []
        for at in self._unknown(messages):
            was = self._was.get(at)
            if was is None or was != self._hash(messages[at]):
                places.append(at)
                continue
            if result is messages:
                result = list(messages)
            result[at] = _copied(self._clean[at], [], 0)
        return result, places

    def _hash(self, message: Any) -> bytes | None:
        """Return what tells a message from any other; None for one that holds more than data."""
        try:
            data = marshal.dumps(message, _EXACT)
        except ValueError:
            return None
        return hashlib.blake2b(data, key=self._key, digest_size=16).digest()

    def _unknown(self, messages: list[Any]) -> list[int]:
        clean = self._clean
        count = min(len(clean), len(messages))
        known = clean if count == len(clean) else clean[:count]
        # Ours stands on the left: a class of the host's may call anything equal.
        if known == messages[:count]:
            return list(range(count, len(messages)))
        changed = [at for at, same in enumerate(map(eq, known, messages)) if not same]
        return [*changed, *range(count, len(messages))]

    def remember(self, at: int, message: Any, was: Any) -> None:
        """Keep a copy of a message in which nothing is left to redact.

        Args:
            at: its place in the list.
            message: the message as it was handed on.
            was: the message as it came.
        """
        if at >= _MOST:
            return
        self._was.pop(at, None)
        texts: list[bytes] = []
        kept = self._kept(message, texts)
        if message is not was and not isinstance(kept, Seen):
            digest = self._hash(was)
            if digest is not None:
                self._was[at] = digest
        for tag, number in numbers_in(texts, self._placeholders).items():
            self.numbers[tag] = max(self.numbers.get(tag, 0), number)
        if at < len(self._clean):
            self._clean[at] = kept
        elif at == len(self._clean):
            self._clean.append(kept)

    def _kept(self, message: Any, texts: list[bytes]) -> Any:
        """Return what only such a message is equal to."""
        try:
            return _copied(message, texts, 0)
        except _NotPlainError:
            texts.clear()
        try:
            return self._looker.seen(message, texts)
        except NotSeenError:
            return NeverSeen()

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
