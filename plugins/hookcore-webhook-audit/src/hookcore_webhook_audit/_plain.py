"""Values as JSON knows them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

__all__ = ["TooLargeError", "clean", "compact", "plain", "size"]

_MAX_DEPTH: Final = 64
_MAX_PARTS: Final = 100_000
_MAX_INTEGER: Final = 2**1024


class TooLargeError(ValueError):
    """A value has too many parts, or they lie too deep, to be read."""


def plain(value: Any) -> Any:
    """Return a value made of dicts, lists and atoms of JSON, that shares nothing mutable with it.

    Objects are named by their class: their text could be anything.

    Args:
        value: any value.

    Raises:
        TooLargeError: it has more than 100,000 parts, or more than 64 levels.
    """
    return _Reader().read(value, 0)


class _Reader:
    """Counts the parts of one value while they are read."""

    def __init__(self) -> None:
        self._left = _MAX_PARTS

    def read(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > _MAX_DEPTH:
            raise TooLargeError
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, (int, float)):
            return _number(value)
        if isinstance(value, Mapping):
            return {self._key(key): self.read(item, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple, AbstractSet)):
            return [self.read(item, depth + 1) for item in value]
        return f"<{type(value).__qualname__}>"

    def _key(self, key: Any) -> str:
        return clean(key) if isinstance(key, str) else str(self.read(key, _MAX_DEPTH))


def _number(value: float) -> int | float | str:
    if isinstance(value, int):
        return int(value) if -_MAX_INTEGER < value < _MAX_INTEGER else "<int>"
    return float(value) if math.isfinite(value) else str(float(value))


def clean(text: str) -> str:
    """Return a text that can be encoded: without halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode("utf-8")


def compact(value: Any) -> str:
    """Return a plain value as JSON, without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def size(value: Any) -> int:
    """Return the length of a plain value's JSON in bytes."""
    return len(compact(value).encode())
