"""Which placeholder stands for which value, for the length of a run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from threading import Lock

from ._placeholders import Style, hashed, identity
from .kinds import tag_of

__all__ = ["Vault"]

_MOST = 999_999
_BELIEVED = 9_999
"""Numbers beyond it in a text were written by somebody who wants us to run out of them."""


class Vault:
    """Gives the same value the same placeholder; knows values only as hashes, unless it restores.

    Args:
        style: the placeholders' style.
        key: what values are hashed with.
        restores: whether values are kept, so that placeholders can be turned back.
    """

    __slots__ = ("_key", "_last", "_lock", "_placeholders", "_restores", "_style", "_values")

    def __init__(self, style: Style, key: bytes, *, restores: bool) -> None:
        self._style = style
        self._key = key
        self._restores = restores
        self._lock = Lock()
        self._last: dict[str, int] = {}
        self._placeholders: dict[bytes, str] = {}
        self._values: dict[str, tuple[str, str]] = {}

    def placeholder(self, kind: str, value: bytes, taken: Callable[[], dict[str, int]]) -> str:
        """Return the placeholder of a value.

        Args:
            kind: the value's kind.
            value: the value.
            taken: tells the highest number of each tag in the text around, so that a number that
                somebody else gave is not given again.
        """
        same = identity(kind, value)
        if self._style == "fixed":
            return f"[{tag_of(kind)}]"
        if self._style == "hash":
            made = hashed(kind, same, self._key)
            self._keep(made, kind, value)
            return made
        digest = hashlib.blake2b(same, key=self._key, digest_size=16).digest()
        with self._lock:
            known = self._placeholders.get(digest)
            if known is not None:
                return known
        seen = taken()
        with self._lock:
            made = self._placeholders.get(digest) or self._numbered(tag_of(kind), digest, seen)
        self._keep(made, kind, value)
        return made

    def _numbered(self, tag: str, digest: bytes, seen: dict[str, int]) -> str:
        foreign = seen.get(tag, 0)
        number = max(self._last.get(tag, 0), foreign if foreign <= _BELIEVED else 0) + 1
        if number > _MOST:
            raise ValueError(f"more than {_MOST} values of one kind in a run")
        self._last[tag] = number
        made = f"[{tag}_{number}]"
        self._placeholders[digest] = made
        return made

    def _keep(self, made: str, kind: str, value: bytes) -> None:
        if self._restores:
            self._values.setdefault(made, (kind, value.decode("utf-8", "replace")))

    def value(self, placeholder: str) -> tuple[str, str] | None:
        """Return the kind and the value that a placeholder stands for, None if it is not ours."""
        return self._values.get(placeholder)

    def __repr__(self) -> str:
        return f"<Vault of {len(self._placeholders)} placeholders>"
