"""A payload without what is to be redacted: a new one where something is, else the same object."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from numbers import Integral
from typing import Any, Final, Protocol

from hookcore import ToolCall, ToolCallChunk

from ._containers import before, free_key, like_items, like_mapping
from ._names import is_pair, named_value, names_of_items
from ._opening import (
    attributes_of,
    buffer_of,
    like_exception,
    rebuilt,
    said_by,
    unreadable,
    with_attributes,
)
from ._ways import ATOMS, Way, way_of

__all__ = ["Rewriter", "texts_in", "walk"]

_MAX_DEPTH: Final = 100
_CALLS: Final = frozenset({"tool_calls", "function_call"})
_CALL_PARTS: Final = frozenset(
    {("input", "tool_use"), ("arguments", "function_call"), ("args", "tool_call")}
)
"""In lists of parts: a part's field, and the part's type."""


class Rewriter(Protocol):
    """The walk over the texts in a payload."""

    def text(self, text: str, name: str | None = None) -> str:
        """Return what becomes of a string; the same object when nothing does."""
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
        value: the payload. Containers are opened, and objects with all their attributes.
        rewriter: what becomes of each text.
        tool_calls: what becomes of texts in the tool calls that a model's response asks for, when
            that is something else.

    Returns:
        The payload itself when nothing of it changes.

    Raises:
        ValueError: the payload is nested more than 100 levels deep, or holds itself.
        TypeError: the payload holds something that cannot be read.
    """
    calls = None if tool_calls is None else _Walk(tool_calls)
    walker = _Walk(rewriter, calls)
    new = walker.value(value, None, 0)
    if new is not value and (walker.holds_itself or (calls is not None and calls.holds_itself)):
        raise ValueError("an object in the payload holds itself, and something in it is redacted")
    return new


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
        if "[" in text:
            self.texts.append(text.encode("utf-8", "surrogatepass"))
        return text

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
        # What is shared is read once, and stays shared.
        self._done: dict[tuple[int, str | None], tuple[Any, Any]] = {}
        self._reading: set[int] = set()
        self.holds_itself = False

    def value(self, value: Any, name: str | None, depth: int) -> Any:
        kind = type(value)
        if kind is str:
            return self._rewriter.text(value, name)
        if kind in ATOMS:
            return value
        if kind is int:
            return self._rewriter.number(value, name)
        if depth > _MAX_DEPTH:
            raise ValueError(f"the payload is nested more than {_MAX_DEPTH} levels deep")
        known = self._done.get((id(value), name))
        if known is not None:
            return known[1]
        new = self._opened(value, name, depth)
        self._done[id(value), name] = value, new
        return new

    def _opened(self, value: Any, name: str | None, depth: int) -> Any:
        kind = type(value)
        if kind is dict:
            return self._dict(value, depth)
        if kind is list or kind is tuple:
            items = self._items(value, name, depth)
            return value if items is None else kind(items)
        return self._other(value, name, depth)

    def _dict(self, value: Mapping[Any, Any], depth: int) -> dict[Any, Any]:
        changed: dict[Any, Any] | None = None
        said = named_value(value.items())
        for key, item in value.items():
            name = key if type(key) is str else None
            walker = self if self._tool_calls is None else self._walker(name, value.get("type"))
            if said is not None and name in said[1]:
                name = said[0]
            new_item = walker.value(item, name, depth + 1)
            new_key = self._key(key, depth)
            if changed is None and (new_item is not item or new_key is not key):
                changed = before(value, key)
            if changed is not None:
                place = key if new_key is key else free_key(new_key, changed, value)
                changed[place] = new_item
        return value if changed is None else changed  # type: ignore[return-value]

    def _key(self, key: Any, depth: int) -> Any:
        if type(key) is str:
            return self._rewriter.text(key, None)
        return self.value(key, None, depth + 1) if isinstance(key, str | bytes | tuple) else key

    def _items(self, items: Any, name: str | None, depth: int) -> list[Any] | None:
        """Return the rewritten items, None when none of them changes."""
        old = list(items)
        names = names_of_items(old) if len(old) > 1 else {}
        pairs = len(old) > 1 and all(map(is_pair, old))
        new = [
            self._pair(item, depth + 1)
            if pairs
            else self.value(item, names.get(at, name), depth + 1)
            for at, item in enumerate(old)
        ]
        return None if all(map(_same, old, new)) else new

    def _pair(self, item: Any, depth: int) -> Any:
        """Rewrite a name and its value."""
        first = self.value(item[0], None, depth + 1)
        second = self.value(item[1], item[0], depth + 1)
        same = first is item[0] and second is item[1]
        return item if same else type(item)((first, second))

    def _other(self, value: Any, name: str | None, depth: int) -> Any:
        way = way_of(value)
        if way is Way.OBJECT:
            return self._object(value, depth)
        if way is Way.NOT:
            return value
        if way is Way.SCALAR:
            return self._scalar(value, name)
        if way is Way.BYTES:
            return self._bytes(value, bytes(value))
        if way is Way.BUFFER:
            plain = buffer_of(value)
            return value if plain is None else self._bytes(value, plain)
        return self._container(value, way, name, depth)

    def _scalar(self, value: Any, name: str | None) -> Any:
        """Rewrite what is a text, a whole number, or is read as the text that ``str`` makes."""
        if isinstance(value, Integral):
            number = int(value)
            new_number = self._rewriter.number(number, name)
            return value if new_number is number else new_number
        text = str.__str__(value) if isinstance(value, str) else str(value)
        new_text = self._rewriter.text(text, name)
        if new_text is text:
            return value
        return new_text if isinstance(value, str) else rebuilt(value, new_text)

    def _container(self, value: Any, way: Way, name: str | None, depth: int) -> Any:
        if way is Way.MAPPING:
            items = self._dict(value, depth)
            return value if items is value else like_mapping(value, items)
        new_items = self._items(value, name, depth)
        return value if new_items is None else like_items(value, new_items)

    def _bytes(self, value: Any, plain: bytes) -> Any:
        new = self._rewriter.data(plain)
        if new is plain:
            return value
        return array(value.typecode, new) if isinstance(value, array) else type(value)(new)

    def _walker(self, name: str | None, type_name: object) -> _Walk:
        """Return who walks a part of a response: its tool calls are tool inputs to be."""
        if self._tool_calls is None:
            return self
        asks = name in _CALLS or (name, type_name) in _CALL_PARTS
        return self._tool_calls if asks else self

    def _object(self, value: Any, depth: int) -> Any:
        if id(value) in self._reading:
            self.holds_itself = True
            return value
        self._reading.add(id(value))
        try:
            if isinstance(value, BaseException):
                return self._exception(value, depth)
            changed = self._changed(value, depth)
        finally:
            self._reading.discard(id(value))
        return with_attributes(value, changed) if changed else value

    def _changed(self, value: Any, depth: int) -> dict[str, Any]:
        """Return the attributes of an object that change."""
        attributes = attributes_of(value)
        said = named_value(attributes)
        kind: object = None
        if self._tool_calls is not None:
            if isinstance(value, ToolCall | ToolCallChunk):
                kind = "function_call"
            else:
                kind = next((item for name, item in attributes if name == "type"), None)
                kind = kind if isinstance(kind, str) else None
        changed = {}
        for name, item in attributes:
            walker = self if self._tool_calls is None else self._walker(name, kind)
            told = said[0] if said is not None and name in said[1] else name
            new = walker.value(item, told, depth + 1)
            if new is not item:
                changed[name] = new
        return changed

    def _exception(self, error: BaseException, depth: int) -> BaseException:
        """Rewrite what an exception says, and what those say that it came from."""
        said = said_by(error)
        args = self.value(said, None, depth + 1)
        changed = self._changed(error, depth)
        for name in ("__cause__", "__context__"):
            other = getattr(error, name)
            if other is not None and (new := self.value(other, None, depth + 1)) is not other:
                changed[name] = new
        twin = error
        if args is not said or changed:
            twin = like_exception(error, args)
            for name, item in changed.items():
                setattr(twin, name, item)
        shown = str(twin)
        if self._rewriter.text(shown) is not shown:
            raise unreadable(error)
        return twin


def _same(old: Any, new: Any) -> bool:
    return old is new
