"""The places found in texts that were read a moment ago: hosts show a text at point after point."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from typing import Final

from ._spans import Span

__all__ = ["Recent"]

_MOST: Final = 1024
"""Texts of one generation; the one before it is known too."""
_LONGEST: Final = 1 << 20


class Recent:
    """Knows texts by keyed hashes, some two thousand at most, and nothing of what stands in them.

    Args:
        find: finds the places in a text, always the same ones.
    """

    __slots__ = ("_before", "_find", "_key", "_now")

    def __init__(self, find: Callable[[bytes], Sequence[Span]]) -> None:
        self._find = find
        self._key = secrets.token_bytes(32)
        self._now: dict[bytes, Sequence[Span]] = {}
        self._before: dict[bytes, Sequence[Span]] = {}

    def spans(self, data: bytes) -> Sequence[Span]:
        """Return the places in a text, found before or now.

        Args:
            data: the text.
        """
        if len(data) > _LONGEST:
            return self._find(data)
        digest = hashlib.blake2b(data, key=self._key, digest_size=16).digest()
        found = self._now.get(digest)
        if found is not None:
            return found
        found = self._before.get(digest)
        if found is None:
            found = self._find(data)
        if len(self._now) >= _MOST:
            self._before, self._now = self._now, {}
        self._now[digest] = found
        return found
