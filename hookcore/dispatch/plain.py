"""Values that nobody can change, and values that are what they hold: no subclass's own account."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta, tzinfo
from enum import Enum
from typing import Any
from weakref import WeakKeyDictionary

from ..later import stand_in

__all__ = ["ATOMS", "VALUES", "is_one_of", "plain"]

ATOMS = frozenset(
    {str, int, float, bool, type(None), bytes, complex, date, datetime, time, timedelta}
)
"""Types whose values nobody can change, so that a copy is the value itself."""

VALUES: tuple[type, ...] = (
    Enum,
    stand_in("pathlib", "PurePath"),
    stand_in("uuid", "UUID"),
    stand_in("decimal", "Decimal"),
    range,
    slice,
    tzinfo,
)
"""More of them, where subclasses count too; slower to look for."""


def is_one_of(*kinds: type) -> Callable[[Any], bool]:
    """Return a quick ``isinstance`` for many classes: the answer for a class is remembered."""
    known: WeakKeyDictionary[type, bool] = WeakKeyDictionary()

    def is_one(value: Any) -> bool:
        kind = type(value)
        answer = known.get(kind)
        if answer is None:
            answer = known[kind] = issubclass(kind, kinds)
        return answer

    return is_one


_BASES: tuple[type, ...] = (dict, list, str, bytes, int, float, set, frozenset, bytearray)
"""The types that a JSON text is made of: of a subclass, only what this holds is used."""


def plain(value: Any) -> Any:
    """Return arguments with plain values in the place of those of subclasses of dict, str and such.

    So nobody reads another value in them than somebody else does: a subclass may answer each as it
    likes. What is plain already is returned as it is. Members of enumerations and named tuples are
    kept, whose class is what they are about.
    """
    return value if _is_plain(value, set()) else _plain(value, {})


def _is_plain(value: Any, seen: set[int]) -> bool:
    kind = type(value)
    if kind in ATOMS:
        return True
    if kind is dict:
        items: Any = value.values()
        if not all(type(key) is str or _is_plain(key, seen) for key in value):
            return False
    elif kind in _COLLECTIONS:
        items = value
    else:
        return not _hides_its_value(value)
    if id(value) in seen:
        return True
    seen.add(id(value))
    return all(type(item) in ATOMS or _is_plain(item, seen) for item in items)


def _hides_its_value(value: Any) -> bool:
    if isinstance(value, _BASES):
        return type(value) not in _BASES and not isinstance(value, Enum)
    return isinstance(value, tuple) and type(value) is not tuple and not hasattr(value, "_fields")


def _plain(value: Any, memo: dict[int, Any]) -> Any:  # noqa: PLR0911 - one answer for each kind
    if type(value) in ATOMS or isinstance(value, Enum):
        return value
    known = memo.get(id(value))
    if known is not None:
        return known
    if isinstance(value, dict):
        twin: Any = {}
        memo[id(value)] = twin
        for key, item in dict.items(value):
            twin[_plain(key, memo)] = _plain(item, memo)
        return twin
    if isinstance(value, list):
        memo[id(value)] = twin = []
        twin.extend(_plain(item, memo) for item in list.__iter__(value))
        return twin
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        twin = tuple(_plain(item, memo) for item in tuple.__iter__(value))
        return memo.setdefault(id(value), twin)
    if isinstance(value, (set, frozenset)):
        return memo.setdefault(id(value), _plain_set(value, memo))
    for base, read in _READ:
        if isinstance(value, base):
            return read(value)
    return value


def _plain_set(value: Any, memo: dict[int, Any]) -> Any:
    base: Any = set if isinstance(value, set) else frozenset
    return base(_plain(item, memo) for item in base.__iter__(value))


_COLLECTIONS = frozenset({list, tuple, set, frozenset})

_READ: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))),
    (bytearray, lambda value: bytearray.__getitem__(value, slice(None))),
    (int, int.__int__),
    (float, float.__float__),
)
