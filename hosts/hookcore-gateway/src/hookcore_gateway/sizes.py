"""The memory that a message or a conversation takes, by the texts and bytes in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hookcore_specs import ChannelMessage

from .errors import MessageTooLargeError

__all__ = ["bytes_in", "check_size"]

_EACH: Final = 8
_IDENTIFIERS: Final = ("sender", "recipient", "id", "thread")
_OTHERS: Final = ("content", "subject", "attachments", "metadata")


def bytes_in(value: Any) -> int:
    """Return how many bytes the texts in a value have together, and a few for each other value.

    Args:
        value: dicts, lists and objects in any depth; what stands in several places counts once.
    """
    total, level, known = 0, [value], set[int]()
    while level:
        item = level.pop()
        if isinstance(item, str):
            total += len(item) if item.isascii() else len(item.encode(errors="replace"))
        elif isinstance(item, (bytes, bytearray)):
            total += len(item)
        elif isinstance(item, memoryview):
            total += item.nbytes
        elif id(item) not in known:
            known.add(id(item))
            total += _EACH
            level += _inside(item)
    return total


def _inside(item: Any) -> Iterable[Any]:
    if isinstance(item, Mapping):
        return [*item, *item.values()]
    if isinstance(item, (list, tuple, set, frozenset)):
        return item
    fields = [getattr(item, name, None) for name in getattr(type(item), "__slots__", ())]
    return [*fields, *getattr(item, "__dict__", {}).values()]


def check_size(message: ChannelMessage, most: int, identifier: int) -> int:
    """Return how many bytes all fields of a message have together.

    Args:
        message: the message.
        most: how many they may have.
        identifier: how many a field may have that only tells one thing from others.

    Raises:
        MessageTooLargeError: they have more.
    """
    for name in _IDENTIFIERS:
        if bytes_in(getattr(message, name)) > max(identifier, _EACH):
            raise MessageTooLargeError(f"a message's {name} has {identifier} bytes at most")
    values = [getattr(message, name) for name in (*_IDENTIFIERS, *_OTHERS)]
    total = sum(bytes_in(value) for value in values if value)
    if total > most:
        raise MessageTooLargeError(f"a message has {most} bytes at most, all its fields together")
    return total
