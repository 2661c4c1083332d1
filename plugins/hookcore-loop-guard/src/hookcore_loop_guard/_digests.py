"""Digests of arguments and results, in which only what they say makes a difference."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from hookcore import NamePatterns

__all__ = ["Digests"]

_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_NAMES_KEPT: Final = 4096
_LONGEST_KEPT: Final = 256
_DEEPEST: Final = 64
_LONGEST_SHOWN: Final = 100_000


class Digests:
    """Makes digests; neither the order of keys nor 2 or 2.0 changes them.

    Args:
        ignore: names or globs of keys that make no difference, at any depth.
    """

    def __init__(self, ignore: tuple[str, ...]) -> None:
        self._ignored = NamePatterns(ignore) if ignore else None
        self._remembered: Callable[[str], bool] = lru_cache(_NAMES_KEPT)(self._matches)

    def of(self, value: Any) -> bytes:
        """Return the digest of any value."""
        text = repr(self._plain(value, 0)).encode("utf-8", "replace")
        return hashlib.blake2b(text, digest_size=16).digest()

    def is_ignored(self, name: Any) -> bool:
        """Tell whether a key makes no difference."""
        if self._ignored is None or not isinstance(name, str):
            return False
        return self._remembered(name) if len(name) <= _LONGEST_KEPT else self._matches(name)

    def _matches(self, name: str) -> bool:
        return self._ignored is not None and self._ignored.matches(name)

    def _plain(self, value: Any, depth: int) -> Any:
        """Return a value as texts, numbers and tuples, which look the same when they are."""
        kind = type(value)
        if kind is str or kind is int or kind is bool or value is None:
            return value
        if kind is float:
            return int(value) if value.is_integer() else value
        return self._of_parts(value, depth + 1) if depth < _DEEPEST else kind.__name__

    def _of_parts(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            kept = sorted((str(name), name) for name in value if not self.is_ignored(name))
            return ("{}", [(text, self._plain(value[name], depth)) for text, name in kept])
        if isinstance(value, (list, tuple)):
            return ("[]", [self._plain(each, depth) for each in value])
        if isinstance(value, (set, frozenset)):
            return ("set", sorted(self.of(each) for each in value))
        return (type(value).__name__, self._of_object(value, depth))

    def _of_object(self, value: Any, depth: int) -> Any:
        if isinstance(value, BaseException):
            return str(value)[:_LONGEST_SHOWN]
        dump = getattr(value, "model_dump", None)
        if callable(dump) and not isinstance(value, type):
            return self._plain(dump(), depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = (field.name for field in dataclasses.fields(value))
            return self._plain({name: getattr(value, name) for name in names}, depth)
        return _ADDRESS.sub("", repr(value)[:_LONGEST_SHOWN])
