"""Cutting a value until its JSON is short enough, and still JSON of the same shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ._plain import compact, size

__all__ = ["fit"]

_NOTHING: Final[Any] = object()
_ELLIPSIS: Final = "…"
_FAIR: Final = 64
"""Bytes that a part may have before it must share; less than that says too little."""


def fit(value: Any, limit: int) -> Any:
    """Return as much of a value as fits into a number of bytes.

    Texts lose their ends and get an ellipsis; lists and dicts lose parts, the largest first, and
    stay lists and dicts. What cannot be shortened is left out; at the top it becomes None.

    Args:
        value: a plain value.
        limit: how many bytes its compact JSON may have.
    """
    cut = _cut(value, limit)
    return None if cut is _NOTHING else cut


def _cut(value: Any, room: int) -> Any:
    if size(value) <= room:
        return value
    if isinstance(value, str):
        return _cut_text(value, room)
    if isinstance(value, dict):
        parts = [(size(key) + 1, item) for key, item in value.items()]
        kept = _share(parts, room - 2)
        return _NOTHING if kept is None else dict(_with(value, kept))
    if isinstance(value, list):
        kept = _share([(0, item) for item in value], room - 2)
        return _NOTHING if kept is None else [item for _, item in _with(range(len(value)), kept)]
    return _NOTHING


def _with(keys: Iterable[Any], kept: list[Any]) -> Iterable[tuple[Any, Any]]:
    return ((key, item) for key, item in zip(keys, kept, strict=True) if item is not _NOTHING)


def _share(parts: list[tuple[int, Any]], room: int) -> list[Any] | None:
    """Return what each part may keep, in their order.

    Args:
        parts: for each, what it costs besides its value, and its value.
        room: the bytes that all may have, with a comma for each.
    """
    if room < 0:
        return None
    costs = [extra + size(item) + 1 for extra, item in parts]
    kept: list[Any] = [_NOTHING] * len(parts)
    left = room + 1  # the last one needs no comma
    for done, at in enumerate(sorted(range(len(parts)), key=costs.__getitem__)):
        extra, item = parts[at]
        fair = min(left, max(left // (len(parts) - done), _FAIR))
        kept[at] = _cut(item, fair - extra - 1)
        if kept[at] is not _NOTHING:
            left -= extra + size(kept[at]) + 1
        elif left < _FAIR:
            break
    return kept


def _cut_text(text: str, room: int) -> Any:
    low, high = 0, min(len(text), max(room, 0))
    if _length("") > room:
        return _NOTHING
    while low < high:
        middle = (low + high + 1) // 2
        if _length(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low] + _ELLIPSIS


def _length(start: str) -> int:
    return len(compact(start + _ELLIPSIS).encode())
