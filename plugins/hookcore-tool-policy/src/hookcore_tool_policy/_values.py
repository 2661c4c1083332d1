"""The text that a regular expression searches for a value that need not be a string."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from operator import itemgetter
from typing import Any, Final

MAX_DEPTH: Final = 64
MAX_NODES: Final = 100_000
_WHOLE_FLOATS_BELOW: Final = 1e21


class NotJsonError(ValueError):
    """A value has no canonical JSON: it is no JSON value, or too deep, or too big."""


def canonical_json(value: object) -> str:
    """Return the canonical JSON of ``value``.

    Keys are sorted, there are no spaces, characters beyond ASCII stand as they are, and a whole
    number reads the same whether it is an int or a float (``100``, not ``100.0``).

    Args:
        value: None, a bool, a number, a string, or lists and tables of them.

    Raises:
        NotJsonError: the value is something else, is NaN or infinite, is nested more than 64
            levels deep, or has more than 100,000 parts.
    """
    if isinstance(value, str | list | tuple | dict):
        return _Writer().text(value)
    return _scalar(value)


def leaves_in(value: object) -> list[str]:
    """Return the text of every leaf at any depth in ``value``: a string as it is, else its JSON.

    Args:
        value: a list or table that :func:`canonical_json` accepts; its keys are no leaves.
    """
    found: list[str] = []
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            found.append(str.__str__(node))
        elif isinstance(node, dict):
            pending.extend(dict.values(node))
        elif isinstance(node, list | tuple):
            pending.extend(_items(node))
        else:
            found.append(_scalar(node))
    return found


class _Writer:
    """One writing of canonical JSON, which counts the parts so that its cost is bounded."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MAX_NODES

    def text(self, value: object, depth: int = 0) -> str:
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            raise NotJsonError(f"more than {MAX_NODES} parts or {MAX_DEPTH} levels")
        if isinstance(value, str):
            return _quoted(value)
        if isinstance(value, dict):
            return self._table(value, depth)
        if isinstance(value, list | tuple):
            return f"[{','.join([self.text(item, depth + 1) for item in _items(value)])}]"
        return _scalar(value)

    def _table(self, value: dict[Any, object], depth: int) -> str:
        pairs = []
        for key, item in dict.items(value):
            if not isinstance(key, str):
                raise NotJsonError("a key that is not a string")
            pairs.append((str.__str__(key), item))
        pairs.sort(key=itemgetter(0))
        texts = [f"{_quoted(key)}:{self.text(item, depth + 1)}" for key, item in pairs]
        return f"{{{','.join(texts)}}}"


def _items(value: list[Any] | tuple[Any, ...]) -> Iterator[object]:
    """Return what is in a list: what list says, since a subclass may say what it likes."""
    return list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)


def _quoted(text: str) -> str:
    return json.dumps(str.__str__(text), ensure_ascii=False)


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float) and isfinite(number := float.__float__(value)):
        is_whole = number.is_integer() and abs(number) < _WHOLE_FLOATS_BELOW
        return _whole(int(number)) if is_whole else repr(number)
    raise NotJsonError(f"{type(value).__name__} is no JSON value, or no finite number")


def _whole(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:
        # Python refuses to print thousands of digits, because that takes quadratic time.
        raise NotJsonError("a number too long to print") from None
