"""Python's deep copies in linear time, for what is no tree of dicts and lists."""

from __future__ import annotations

import copy
import gc
import types
from collections.abc import Iterable
from typing import Any

from .plain import ATOMS
from .smalldata import UNCHANGING

__all__ = ["Memo", "deep_copy", "known"]

_MANY = 4096
"""The look-ups after which a copy may be one that visits shared tuples again and again."""
_CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)


class Memo(dict[Any, Any]):
    """The copies that one copying has made, by the ids of what they are of.

    Python's own copying asks it with ``get``, and is stopped after too many questions. Who knows of
    that asks with :func:`known`.
    """

    __slots__ = ("left",)

    def __init__(self) -> None:
        #: How often Python may ask before it is stopped; never when it is less than nothing.
        self.left = -1

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the copy of what has an id."""
        self.left -= 1
        if not self.left:
            raise _Again
        return known(self, key, default)


known = dict.get
"""Returns what a memo has for an id."""


class _Again(BaseException):
    """The copy is to be made once more, with the tuples that are copies of themselves known."""


def deep_copy(value: Any, memo: Memo) -> Any:
    """Return a deep copy of an object.

    :func:`copy.deepcopy` does not remember tuples that are copies of themselves: where each is
    shared by the next, it visits as many as two to the power of their depth.

    Args:
        value: the object.
        memo: the copies made so far, which is added to.

    Raises:
        Exception: whatever the value's own copying raises.
    """
    before, memo.left = len(memo), _MANY
    try:
        twin = copy.deepcopy(value, memo)
    except _Again:
        pass
    else:
        if memo.left > 0:  # else somebody has swallowed the word to stop
            return twin
    while len(memo) > before:  # some of them may be half made
        memo.popitem()
    for own in _own_copies(value):
        memo[id(own)] = own
    memo.left = -1
    return copy.deepcopy(value, memo)


def _own_copies(value: Any) -> Iterable[tuple[Any, ...]]:
    """Return the tuples in an object that hold nothing that can change."""
    own: dict[int, tuple[Any, ...]] = {}
    left, seen = [value], set[int]()
    tuples: list[tuple[Any, ...]] = []
    while left:
        item = left.pop()
        if type(item) in ATOMS or isinstance(item, _CODE) or id(item) in seen:
            continue
        seen.add(id(item))
        if type(item) is tuple:
            tuples.append(item)
        left += gc.get_referents(item)
    # The innermost come last in most trees, so that few rounds are needed.
    while tuples:
        others: list[tuple[Any, ...]] = []
        for item in reversed(tuples):
            if all(type(part) in ATOMS or id(part) in own or _is_fixed(part) for part in item):
                own[id(item)] = item
            else:
                others.append(item)
        if len(others) == len(tuples):
            break
        tuples = others[::-1]
    return own.values()


def _is_fixed(value: Any) -> bool:
    return isinstance(value, (*UNCHANGING, *_CODE)) and not isinstance(value, tuple)
