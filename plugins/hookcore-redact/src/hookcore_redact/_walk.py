"""A payload without what is to be redacted: a new one where something is, else the same object."""

from __future__ import annotations

import copy
import dataclasses
import enum
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final, Protocol

from hookcore import ChannelMessage

__all__ = ["Rewriter", "texts_in", "walk"]

_MAX_DEPTH: Final = 100
_ATOMS: Final = frozenset({bool, float, complex, type(None)})
# What carries text in the message and response classes of SDKs. Other attributes of an object that
# is neither a dataclass nor a pydantic model (clients, sessions) are the host's own business.
_TEXT_ATTRIBUTES: Final = (
    "content", "text", "message", "messages", "choices", "delta", "parts", "output", "outputs",
    "output_text", "raw", "body", "data", "result", "results", "value", "answer", "response",
    "tool_calls", "function", "arguments", "input", "inputs", "args", "kwargs", "description",
    "summary", "reasoning", "reasoning_content", "refusal", "page_content", "metadata", "error",
)  # fmt: skip


_DELIVERY: Final = frozenset({"channel", "recipient", "thread", "id"})
"""Where a channel message goes, which is not what it says: without it nothing is delivered."""

_CALLS: Final = frozenset({"tool_calls", "function_call"})
_CALL_PARTS: Final = frozenset(
    {("input", "tool_use"), ("arguments", "function_call"), ("args", "tool_call")}
)
"""In lists of parts: a part's field, and the part's type."""


class Rewriter(Protocol):
    """What becomes of the texts in a payload."""

    def text(self, text: str, name: str | None = None) -> str:
        """Return what becomes of a string; the same object when nothing does."""
        ...

    def suspects(self, text: str) -> bool:
        """Tell whether something may become of a string that looks like JSON."""
        ...

    def data(self, data: bytes) -> bytes:
        """Return what becomes of bytes; the same object when nothing does."""
        ...

    def number(self, number: int, name: str | None) -> int | str:
        """Return what becomes of a whole number; the same object when nothing does."""
        ...


def walk(value: Any, rewriter: Rewriter, tool_calls: Rewriter | None = None) -> Any:
    """Return a payload with all texts in it rewritten; nothing is edited in place.

    Args:
        value: the payload. Containers, dataclasses, pydantic models and JSON texts are opened; of
            other objects only the attributes that carry text in messages and responses.
        rewriter: what becomes of each text.
        tool_calls: what becomes of texts in the tool calls that a model's response asks for, when
            that is something else.

    Returns:
        The payload itself when nothing of it changes.

    Raises:
        ValueError: the payload is nested more than 100 levels deep, or holds itself.
    """
    calls = None if tool_calls is None else _Walk(tool_calls)
    return _Walk(rewriter, calls).value(value, None, 0)


def texts_in(value: Any) -> Iterator[bytes]:
    """Yield all texts of a payload, as :func:`walk` finds them."""
    collector = _Collector()
    walk(value, collector)
    yield from collector.texts


class _Collector:
    def __init__(self) -> None:
        self.texts: list[bytes] = []

    def text(self, text: str, name: str | None = None) -> str:
        del name
        self.texts.append(text.encode("utf-8", "surrogatepass"))
        return text

    def suspects(self, text: str) -> bool:
        del text
        return False

    def data(self, data: bytes) -> bytes:
        self.texts.append(data)
        return data

    def number(self, number: int, name: str | None) -> int:
        del name
        return number


class _Walk:
    def __init__(self, rewriter: Rewriter, tool_calls: _Walk | None = None) -> None:
        self._rewriter = rewriter
        self._tool_calls = tool_calls

    def value(self, value: Any, name: str | None, depth: int) -> Any:
        kind = type(value)
        if kind in _ATOMS:
            return value
        if depth > _MAX_DEPTH:
            raise ValueError(f"the payload is nested more than {_MAX_DEPTH} levels deep")
        if kind is str:
            return self._text(value, name, depth)
        if kind is dict:
            return self._dict(value, depth)
        if kind is list or kind is tuple:
            items = self._items(value, name, depth)
            return value if items is None else kind(items)
        if kind is int:
            return self._rewriter.number(value, name)
        return self._other(value, name, depth)

    def _text(self, text: str, name: str | None, depth: int) -> str:
        return self._rewriter.text(text, name)

    def _json(self, text: str, depth: int) -> str:
        """Rewrite the values in a JSON text, so that it stays one; other texts stay as they are."""
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            return text
        rewritten = self.value(inner, None, depth + 1)
        if rewritten is inner:
            return text
        separators = (", ", ": ") if '": ' in text or ", " in text else (",", ":")
        return json.dumps(rewritten, ensure_ascii=text.isascii(), separators=separators)

    def _dict(self, value: Mapping[Any, Any], depth: int) -> dict[Any, Any]:
        changed: dict[Any, Any] | None = None
        for key, item in value.items():
            name = key if type(key) is str else None
            walker = self if self._tool_calls is None else self._walker(name, value.get("type"))
            new_item = walker.value(item, name, depth + 1)
            new_key = self._key(key, depth)
            if changed is None and (new_item is not item or new_key is not key):
                changed = _before(value, key)
            if changed is not None:
                free = key if new_key is key else _free(new_key, changed, value)
                changed[free] = new_item
        return value if changed is None else changed  # type: ignore[return-value]

    def _key(self, key: Any, depth: int) -> Any:
        return self.value(key, None, depth + 1) if isinstance(key, str | bytes | tuple) else key

    def _items(self, items: Iterable[Any], name: str | None, depth: int) -> list[Any] | None:
        """Return the rewritten items, None when none of them changes."""
        old = list(items)
        new = [self.value(item, name, depth + 1) for item in old]
        return None if all(map(_same, old, new)) else new

    def _other(self, value: Any, name: str | None, depth: int) -> Any:
        if isinstance(value, enum.Enum | type):
            return value
        if isinstance(value, str):
            plain_text = str.__str__(value)
            new_text = self._text(plain_text, name, depth)
            return value if new_text is plain_text else new_text
        if isinstance(value, bytes | bytearray):
            plain = bytes(value)
            new = self._rewriter.data(plain)
            return value if new is plain else type(value)(new)
        if isinstance(value, Mapping):
            items = self._dict(value, depth)
            return value if items is value else _like_mapping(value, items)
        if isinstance(value, tuple | list | deque | AbstractSet):
            new_items = self._items(value, name, depth)
            return value if new_items is None else _like_items(value, new_items)
        return self._object(value, depth)

    def _walker(self, name: str | None, type_name: object) -> _Walk:
        """Return who walks a part of a response: its tool calls are tool inputs to be."""
        if self._tool_calls is None:
            return self
        asks = name in _CALLS or (name, type_name) in _CALL_PARTS
        return self._tool_calls if asks else self

    def _object(self, value: Any, depth: int) -> Any:
        changed = {
            name: new
            for name, item in _attributes(value)
            if (
                new := self._walker(name, getattr(value, "type", None)).value(item, name, depth + 1)
            )
            is not item
        }
        if not changed:
            return value
        twin = copy.copy(value)
        for name, item in changed.items():
            _set(twin, name, item)
        return twin


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what of an object is part of the payload."""
    own = getattr(value, "__dict__", None) or {}
    if hasattr(type(value), "model_fields"):
        yield from own.items()
        yield from (getattr(value, "__pydantic_extra__", None) or {}).items()
    elif dataclasses.is_dataclass(value) or hasattr(type(value), "__attrs_attrs__"):
        left = _DELIVERY if isinstance(value, ChannelMessage) else ()
        names = [field.name for field in _fields(value) if field.name not in left]
        known = {name: getattr(value, name) for name in names if hasattr(value, name)}
        yield from {**own, **known}.items()
    else:
        yield from ((name, own[name]) for name in _TEXT_ATTRIBUTES if name in own)


def _set(twin: Any, name: str, item: Any) -> None:
    """Set an attribute past whatever the class forbids or checks."""
    extra = getattr(twin, "__pydantic_extra__", None)
    if extra is not None and name in extra:
        extra[name] = item
    elif name in getattr(twin, "__dict__", ()):
        twin.__dict__[name] = item
    else:
        object.__setattr__(twin, name, item)


def _fields(value: Any) -> Iterable[Any]:
    if dataclasses.is_dataclass(value):
        return dataclasses.fields(value)
    fields: Iterable[Any] = type(value).__attrs_attrs__
    return fields


def _same(old: Any, new: Any) -> bool:
    return old is new


def _before(value: Mapping[Any, Any], end: Any) -> dict[Any, Any]:
    """Return the items before a key."""
    head: dict[Any, Any] = {}
    for key, item in value.items():
        if key is end:
            break
        head[key] = item
    return head


def _free(key: Any, *taken: Mapping[Any, Any]) -> Any:
    """Return a key that is not taken: two redacted keys must not become one entry."""
    number, free = 2, key
    while any(free in mapping for mapping in taken):
        free = f"{key} ({number})"
        number += 1
    return free


def _like_mapping(value: Any, items: dict[Any, Any]) -> Any:
    if isinstance(value, dict):
        twin = copy.copy(value)
        twin.clear()
        twin.update(items)
        return twin
    return type(value)(items)


def _like_items(value: Any, items: list[Any]) -> Any:
    if isinstance(value, list | deque):
        twin = copy.copy(value)
        twin.clear()
        twin.extend(items)
        return twin
    make = getattr(type(value), "_make", type(value))  # a named tuple has a maker of its own
    return make(items)
