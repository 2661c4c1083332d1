"""Objects that are data, to be copied, told from a host's machinery, to be left alone."""

from __future__ import annotations

import dataclasses
import types
from collections import ChainMap, UserDict, UserList, deque
from typing import Any

from .plain import ATOMS, VALUES

__all__ = ["CONTAINERS", "HOLDERS", "UNCHANGING", "contents", "is_small_data", "says_how_to_copy"]

CONTAINERS = (dict, list, tuple, set, frozenset)
HOLDERS = (deque, UserDict, UserList, ChainMap, types.MappingProxyType, bytearray)
"""Further containers of Python's own: data like the others, whose methods change them."""
UNCHANGING = (
    *VALUES,
    str,
    bytes,
    int,
    float,
    complex,
    types.EllipsisType,
    types.NotImplementedType,
)
"""Types whose values cannot be changed, subclasses included."""
_MOST_IN_AN_OBJECT = 256
"""An object of more parts is the host's machinery, a crew with its agents, rather than data."""


def contents(holder: Any) -> Any:
    """Return what one of the further containers holds, as a list or a dict of plain kinds."""
    if isinstance(holder, (UserDict, UserList)):
        return holder.data
    if isinstance(holder, ChainMap):
        return holder.maps
    if isinstance(holder, types.MappingProxyType):
        return dict(holder)
    return list(holder)


def says_how_to_copy(kind: type) -> bool:
    """Return whether a class has a ``__deepcopy__`` of its own, and not just pydantic's."""
    return any(
        "__deepcopy__" in base.__dict__ and not base.__module__.startswith("pydantic.")
        for base in kind.__mro__
    )


def is_small_data(value: Any) -> bool:
    """Return whether an object is data through and through, and not too much to be copied."""
    if not _is_record(value):
        return False
    left, seen = [value], set()
    while left:
        item = left.pop()
        if type(item) in ATOMS or isinstance(item, UNCHANGING) or id(item) in seen:
            continue
        seen.add(id(item))
        if len(seen) > _MOST_IN_AN_OBJECT:
            return False
        if isinstance(item, dict):
            left += dict.values(item)
        elif isinstance(item, CONTAINERS):
            left += item
        elif _is_record(item):
            left += _fields(item)
        else:
            return False
    return True


def _is_record(value: Any) -> bool:
    if isinstance(value, (types.SimpleNamespace, *CONTAINERS)):
        return True
    return dataclasses.is_dataclass(value) or hasattr(type(value), "model_fields")


def _fields(record: Any) -> list[Any]:
    if dataclasses.is_dataclass(record):
        values = [getattr(record, item.name, None) for item in dataclasses.fields(record)]
        return [*values, *getattr(record, "__dict__", {}).values()]
    # A pydantic model keeps its further fields and its private ones apart.
    apart = (getattr(record, name, None) or {} for name in _PYDANTICS)
    return [*vars(record).values(), *(item for given in apart for item in given.values())]


_PYDANTICS = ("__pydantic_extra__", "__pydantic_private__")
