"""The text that a regular expression searches for a value that need not be a string."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Final

MAX_DEPTH: Final = 64
MAX_NODES: Final = 100_000
_WHOLE_FLOATS_BELOW: Final = 1e21


class UnreadableError(ValueError):
    """A value has no canonical JSON: it is no JSON value, or too deep, or too big."""


def canonical_json(value: object) -> str:
    """Return the canonical JSON of ``value``.

    Keys are sorted, there are no spaces, characters beyond ASCII stand as they are, and a whole
    number reads the same whether it is an int or a float (``100``, not ``100.0``).

    Args:
        value: None, a bool, a number, a string, or lists and tables of them.

    Raises:
        UnreadableError: the value is something else, is NaN or infinite, is nested more than 64
            levels deep, or has more than 100,000 parts.
    """
    if isinstance(value, str | list | tuple | Mapping):
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
            found.append(node)
        elif isinstance(node, Mapping):
            pending.extend(node.values())
        elif isinstance(node, list | tuple):
            pending.extend(node)
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
            raise UnreadableError(f"more than {MAX_NODES} parts or {MAX_DEPTH} levels")
        if isinstance(value, str):
            return json.dumps(value, ensure_ascii=False)
        if isinstance(value, Mapping):
            return self._table(value, depth)
        if isinstance(value, list | tuple):
            return f"[{','.join([self.text(item, depth + 1) for item in value])}]"
        return _scalar(value)

    def _table(self, value: Mapping[object, object], depth: int) -> str:
        keys = [key for key in value if isinstance(key, str)]
        if len(keys) != len(value):
            raise UnreadableError("a key that is not a string")
        pairs = (
            f"{json.dumps(key, ensure_ascii=False)}:{self.text(value[key], depth + 1)}"
            for key in sorted(keys)
        )
        return f"{{{','.join(pairs)}}}"


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float) and isfinite(value):
        is_whole = value.is_integer() and abs(value) < _WHOLE_FLOATS_BELOW
        return _whole(int(value)) if is_whole else float.__repr__(value)
    raise UnreadableError(f"{type(value).__name__} is no JSON value, or no finite number")


def _whole(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:
        # Python refuses to print thousands of digits, because that takes quadratic time.
        raise UnreadableError("a number too long to print") from None
