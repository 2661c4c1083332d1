"""Digests of arguments and results, in which only what they say makes a difference."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

from hookcore import NamePatterns

__all__ = ["Digests"]

_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_NAMES_KEPT: Final = 4096
_LONGEST_KEPT: Final = 256
_DEEPEST: Final = 64
_MOST_PARTS: Final = 50_000
_LONGEST_SHOWN: Final = 100_000


_MINUS_ONE: Final = "the number -1"
"""Stands for -1, which Python's hash does not tell from -2."""
_NAN: Final = "no number"
"""Stands for each NaN: none is equal to another, nor to itself."""


class Digests:
    """Makes digests, which tell values apart in this process and hold nothing of them.

    They are Python's own hashes, whose key for texts is secret and a process's own. Neither the
    order of keys nor 2 or 2.0 changes them.

    Args:
        ignore: names or globs of keys that make no difference, at any depth.
    """

    def __init__(self, ignore: tuple[str, ...]) -> None:
        self._ignored = NamePatterns(ignore) if ignore else None
        self._remembered: Callable[[str], bool] = lru_cache(_NAMES_KEPT)(self._matches)

    def of(self, value: Any) -> int:
        """Return the digest of any value; of one that cannot be read, that of its class."""
        try:
            return hash(self._plain(value, 0, [_MOST_PARTS]))
        except Exception:  # noqa: BLE001 - a tool's own objects may raise anything
            return hash(type(value).__name__)

    def is_ignored(self, name: Any) -> bool:
        """Tell whether a key makes no difference."""
        if self._ignored is None or not isinstance(name, str):
            return False
        return self._remembered(name) if len(name) <= _LONGEST_KEPT else self._matches(name)

    def _matches(self, name: str) -> bool:
        return self._ignored is not None and self._ignored.matches(name)

    def _plain(self, value: Any, depth: int, left: list[int]) -> Any:
        """Return a value as texts, numbers and tuples, which are equal when values are the same.

        Args:
            value: the value.
            depth: how deep it lies in others.
            left: how many parts may still be read: objects that hold each other never end.
        """
        kind = type(value)
        if kind is str or value is None:
            return value
        if kind is int or kind is float:
            return _MINUS_ONE if value == -1 else value if value == value else _NAN  # noqa: PLR0124
        if kind is bool:
            return (kind, value)  # else it were 0 or 1
        left[0] -= 1
        if depth >= _DEEPEST or left[0] < 0:
            return kind.__name__
        return self._of_parts(value, depth + 1, left)

    def _of_parts(self, value: Any, depth: int, left: list[int]) -> Any:
        if isinstance(value, (bytes, bytearray)):
            return ("bytes", bytes(value))
        if not isinstance(value, (Mapping, list, tuple, set, frozenset)):
            return (type(value).__name__, self._of_object(value, depth, left))
        left[0] -= len(value)
        if left[0] < 0:
            return (type(value).__name__, len(value))
        if isinstance(value, Mapping):
            kept = ((str(name), name) for name in value if not self.is_ignored(name))
            parts = sorted(kept, key=itemgetter(0))
            pairs = [(text, self._plain(value[name], depth, left)) for text, name in parts]
            return ("{}", *pairs)
        if isinstance(value, (set, frozenset)):
            return ("set", frozenset(self._plain(each, depth, left) for each in value))
        return ("[]", *(self._plain(each, depth, left) for each in value))

    def _of_object(self, value: Any, depth: int, left: list[int]) -> Any:
        if isinstance(value, BaseException):
            return str(value)[:_LONGEST_SHOWN]
        dump = getattr(value, "model_dump", None)
        if callable(dump) and not isinstance(value, type):
            return self._plain(dump(), depth, left)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = (field.name for field in dataclasses.fields(value))
            return self._plain({name: getattr(value, name) for name in names}, depth, left)
        return _ADDRESS.sub("", repr(value)[:_LONGEST_SHOWN])
