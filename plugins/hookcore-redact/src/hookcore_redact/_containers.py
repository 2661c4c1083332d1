"""New containers that are like old ones, with other items in them."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Mapping, MappingView
from typing import Any

__all__ = ["before", "free_key", "like_items", "like_mapping"]


def before(value: Mapping[Any, Any], end: Any) -> dict[Any, Any]:
    """Return the items before a key."""
    head: dict[Any, Any] = {}
    for key, item in value.items():
        if key is end:
            break
        head[key] = item
    return head


def free_key(key: Any, *taken: Mapping[Any, Any]) -> Any:
    """Return a key that is not taken: two redacted keys must not become one entry."""
    number, free = 2, key
    while any(free in mapping for mapping in taken):
        free = f"{key} ({number})"
        number += 1
    return free


def like_mapping(value: Any, items: dict[Any, Any]) -> Any:
    """Return a mapping of the same class with these items."""
    if isinstance(value, dict):
        twin = copy.copy(value)
        twin.clear()
        twin.update(items)
        return twin
    return type(value)(items)


def like_items(value: Any, items: list[Any]) -> Any:
    """Return a group of the same class with these items; of a view of a dict, a list."""
    if isinstance(value, MappingView):
        return items
    if isinstance(value, list | deque):
        twin = copy.copy(value)
        twin.clear()
        twin.extend(items)
        return twin
    make = getattr(type(value), "_make", type(value))  # a named tuple has a maker of its own
    return make(items)
