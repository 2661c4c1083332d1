"""The memory of texts that were read before: texts of a history come again with each call."""

from __future__ import annotations

import hashlib
from typing import Final

from ._history import History
from ._text import to_utf8

__all__ = ["Memory"]

_SHORTEST: Final = 64  # a shorter text is read as quickly as it is hashed


class Memory:
    """Knows texts by keyed hashes, and what became of them.

    Args:
        history: keeps them.
        key: what texts are hashed with.
    """

    __slots__ = ("_history", "_key")

    def __init__(self, history: History, key: bytes) -> None:
        self._history = history
        self._key = key

    def digest(self, text: str, name: str | None) -> bytes | None:
        """Return what a text is known by, None when it is too short to be remembered."""
        if len(text) < _SHORTEST:
            return None
        said = to_utf8(f"{name}\0{text}")
        return hashlib.blake2b(said, key=self._key, digest_size=16).digest()

    def knows(self, digest: bytes) -> bool:
        """Tell whether the text was met before."""
        return digest in self._history.texts

    def told(self, digest: bytes, text: str) -> str:
        """Return what became of a text that is known; itself when nothing did."""
        known = self._history.texts[digest]
        return text if known is None else known

    def keep(self, digest: bytes, text: str, redacted: str) -> None:
        """Remember what became of a text."""
        self._history.keep_text(digest, None if redacted is text else redacted)
