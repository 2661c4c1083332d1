"""The vault of placeholders and the values that they stand for, for the length of a run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from threading import Lock

from ._placeholders import Style, hashed, identity
from .kinds import tag_of

__all__ = ["Vault"]

_MOST = 999_999


class Vault:
    """Gives the same value the same placeholder; knows values only as hashes, unless it restores.

    Args:
        style: the placeholders' style.
        key: what values are hashed with.
        restores: whether values are kept, so that placeholders can be turned back.
    """

    __slots__ = (
        "_key",
        "_last",
        "_lock",
        "_placeholders",
        "_restores",
        "_style",
        "_tentative",
        "_values",
    )

    def __init__(self, style: Style, key: bytes, *, restores: bool) -> None:
        self._style = style
        self._key = key
        self._restores = restores
        self._lock = Lock()
        self._last: dict[str, int] = {}
        self._placeholders: dict[bytes, str] = {}
        self._tentative: set[bytes] = set()
        self._values: dict[str, tuple[str, str]] = {}

    def placeholder(
        self,
        kind: str,
        value: bytes,
        taken: Callable[[], dict[str, int]],
        *,
        tentative: bool = False,
    ) -> str:
        """Return the placeholder of a value.

        Args:
            kind: the value's kind.
            value: the value.
            taken: tells the highest number of each tag in the text around, so that a number that
                somebody else gave is not given again.
            tentative: whether the value may be the beginning of another; see :meth:`retract`.
        """
        if self._style == "fixed":
            return f"[{tag_of(kind)}]"
        if self._style == "hash":
            made = hashed(kind, identity(kind, value), self._key)
        else:
            made = self._numbered(kind, value, taken, tentative=tentative)
        if self._restores:
            self._values.setdefault(made, (kind, value.decode("utf-8", "replace")))
        return made

    def _numbered(
        self, kind: str, value: bytes, taken: Callable[[], dict[str, int]], *, tentative: bool
    ) -> str:
        digest = self._digest(kind, value)
        known = self._placeholders.get(digest)
        if known is not None:
            if not tentative and digest in self._tentative:
                with self._lock:
                    self._tentative.discard(digest)
            return known
        seen = taken()
        with self._lock:
            known = self._placeholders.get(digest)
            if known is not None:
                return known
            if tentative:
                self._tentative.add(digest)
            made = self._placeholders[digest] = self._next(tag_of(kind), seen)
            return made

    def _next(self, tag: str, seen: dict[str, int]) -> str:
        number = max(self._last.get(tag, 0), seen.get(tag, 0)) + 1
        if number > _MOST:
            raise ValueError(f"more than {_MOST} values of one kind in a run")
        self._last[tag] = number
        return f"[{tag}_{number}]"

    def retract(self, kind: str, value: bytes) -> None:
        """Forget what was only the beginning of a value, and give its number again.

        Nothing happens when the value has meanwhile been met as a whole.

        Args:
            kind: the value's kind.
            value: the beginning.
        """
        digest = self._digest(kind, value)
        with self._lock:
            if digest not in self._tentative:
                return
            self._tentative.remove(digest)
            made = self._placeholders.pop(digest)
            self._values.pop(made, None)
            tag = tag_of(kind)
            if made == f"[{tag}_{self._last[tag]}]":
                self._last[tag] -= 1

    def _digest(self, kind: str, value: bytes) -> bytes:
        return hashlib.blake2b(identity(kind, value), key=self._key, digest_size=16).digest()

    def value(self, placeholder: str) -> tuple[str, str] | None:
        """Return the kind and the value that a placeholder stands for, None if it is not ours."""
        return self._values.get(placeholder)

    def __repr__(self) -> str:
        return f"<Vault of {len(self._placeholders)} placeholders>"
