"""The makings of a value that was read: another look tells whether it still is the same.

A look costs a fraction of a reading. It keeps no object of the host's alive, and never asks one
whether it equals another: classes are compared first, then texts and numbers only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from numbers import Integral
from operator import attrgetter
from typing import Any, Final

from ._opening import PYDANTIC_STORES, is_service, slots_of
from ._text import to_utf8
from ._ways import Way, way_of

__all__ = ["Looker", "NeverSeen", "NotSeenError", "Seen"]

_MOST_DEEP: Final = 20
_MOST_PARTS: Final = 2_000
_MOST_SHAPES: Final = 1_000
_LEAVES: Final = frozenset({str, int, bytes, bool, type(None)})
_TEXTS: Final = {str}
_NOTHING: Final[dict[str, Any]] = {}
_MISSING: Final = object()


class NotSeenError(Exception):
    """A value holds something of which no change could be told."""


class Seen:
    """Is equal to a value for as long as nothing in it is another: here, to any of its class.

    It has to stand on the left, and what it is in too: that is what Python asks first.

    Args:
        kind: the value's class.
    """

    __slots__ = ("_kind",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, kind: type) -> None:
        self._kind: Any = kind

    def __eq__(self, other: object) -> bool:
        return type(other) is self._kind


class NeverSeen(Seen):
    """Is equal to nothing: what stands here is read each time."""

    __slots__ = ()
    __hash__ = None

    def __init__(self) -> None:
        super().__init__(NeverSeen)

    def __eq__(self, other: object) -> bool:
        return False


class _Said(Seen):
    """A value that is read as a text."""

    __slots__ = ("_text",)
    __hash__ = None

    def __init__(self, value: Any) -> None:
        super().__init__(type(value))
        self._text = _said(value)

    def __eq__(self, other: object) -> bool:
        return type(other) is self._kind and _said(other) == self._text


def _said(value: Any) -> str:
    if isinstance(value, Integral):
        return str(int(value))
    return str.__str__(value) if isinstance(value, str) else str(value)


class _Items(Seen):
    """A list or a tuple."""

    __slots__ = ("_types", "_values")
    __hash__ = None

    def __init__(self, kind: type, types: list[type], values: Any) -> None:
        super().__init__(kind)
        self._types = types
        self._values = values

    def __eq__(self, other: Any) -> bool:  # noqa: PYI032 - its items are asked for
        if type(other) is not self._kind:
            return False
        return list(map(type, other)) == self._types and bool(self._values == other)


class _Dict(Seen):
    """A dict."""

    __slots__ = ("_types", "_values")
    __hash__ = None

    def __init__(self, types: list[type], values: dict[str, Any]) -> None:
        super().__init__(dict)
        self._types = types
        self._values = values

    def __eq__(self, other: Any) -> bool:  # noqa: PYI032 - its items are asked for
        if type(other) is not dict or len(other) != len(self._types):
            return False
        if not other:
            return True
        if set(map(type, other)) != _TEXTS or list(map(type, other.values())) != self._types:
            return False
        return bool(self._values == other)


class _Object(Seen):
    """An object with all of its attributes."""

    __slots__ = ("_in_slots", "_types", "_values")
    __hash__ = None

    def __init__(
        self, kind: type, types: list[type], values: dict[str, Any], in_slots: _Items | None
    ) -> None:
        super().__init__(kind)
        self._types = types
        self._values = values
        self._in_slots = in_slots

    def __eq__(self, other: Any) -> bool:  # noqa: PYI032 - its attributes are asked for
        kind = self._kind
        if type(other) is not kind:
            return False
        own = getattr(other, "__dict__", None) or _NOTHING
        if list(map(type, own.values())) != self._types or not self._values == own:
            return False
        in_slots = self._in_slots
        if in_slots is None:
            return True
        if in_slots is not _EMPTY_STORES:
            return in_slots == _slot_reader(self._kind)(other)
        try:
            return other.__pydantic_extra__ is None and other.__pydantic_private__ is None
        except AttributeError:
            return False


_EMPTY_STORES: Final = _Items(tuple, [], ())
"""Stands for the slots of a pydantic model that has no further attributes, as most have none."""


@lru_cache(maxsize=512)
def _slot_reader(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads the slots of a class's objects; a mark stands for what was never set."""
    names = slots_of(kind)

    def one_by_one(value: Any) -> tuple[Any, ...]:
        found: list[Any] = [type(value)]
        for name in names:
            try:
                found.append(object.__getattribute__(value, name))
            except AttributeError:
                found.append(_MISSING)
        return tuple(found)

    if not _is_read_plainly(kind):
        return one_by_one
    all_at_once = attrgetter("__class__", *names)

    def read(value: Any) -> tuple[Any, ...]:
        try:
            return all_at_once(value)
        except AttributeError:
            return one_by_one(value)

    return read


def _are_none(values: tuple[Any, ...]) -> bool:
    return all(item is None for item in values)


def _is_read_plainly(kind: Any) -> bool:
    return kind.__getattribute__ is object.__getattribute__


class Looker:
    """Takes looks at values, and keeps what they have in common."""

    __slots__ = ("_left", "_shapes", "_texts")

    def __init__(self) -> None:
        self._shapes: dict[tuple[type, ...], list[type]] = {}
        self._texts: list[bytes] = []
        self._left = 0

    def seen(self, value: Any, texts: list[bytes]) -> Any:
        """Return what is equal to a value for as long as nothing in it is another.

        Args:
            value: the value, which has been read.
            texts: takes the texts in it that may hold placeholders.

        Raises:
            NotSeenError: a change of it could not be told.
        """
        self._texts, self._left = texts, _MOST_PARTS
        return self._at(value, 0)

    def _at(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in _LEAVES:
            self._note(value)
            return value
        self._left -= 1
        if depth > _MOST_DEEP or not self._left:
            raise NotSeenError
        if kind is list or kind is tuple:
            return self._items(kind, value, depth)
        if kind is dict:
            return self._dict(value, depth)
        way = way_of(value)
        if way is Way.OBJECT:
            return self._object(value, depth)
        if way is Way.SCALAR:
            self._note(_said(value))
            return _Said(value)
        if way is not Way.NOT:
            raise NotSeenError
        return Seen(kind)

    def _items(self, kind: type, value: Any, depth: int) -> _Items:
        values = kind(self._at(item, depth + 1) for item in value)
        return _Items(kind, self._types(value), values)

    def _dict(self, value: dict[Any, Any], depth: int) -> _Dict:
        if value and set(map(type, value)) != _TEXTS:
            raise NotSeenError
        for name in value:
            self._note(name)
        values = {name: self._at(item, depth + 1) for name, item in value.items()}
        return _Dict(self._types(value.values()), values)

    def _object(self, value: Any, depth: int) -> _Object:
        kind = type(value)
        if value.__class__ is not kind or isinstance(value, BaseException):
            raise NotSeenError
        own = getattr(value, "__dict__", None) or _NOTHING
        if own and set(map(type, own)) != _TEXTS:
            raise NotSeenError
        values = {name: self._attribute(name, item, depth) for name, item in own.items()}
        slots, in_slots = slots_of(kind), None
        if slots:
            found = _slot_reader(kind)(value)
            named = zip(("", *slots), found, strict=True)
            seen = tuple([self._attribute(name, item, depth) for name, item in named])
            in_slots = _Items(tuple, self._types(found), seen)
            if slots == PYDANTIC_STORES and _are_none(seen[1:]) and _is_read_plainly(kind):
                in_slots = _EMPTY_STORES
        return _Object(kind, self._types(own.values()), values, in_slots)

    def _attribute(self, name: str, item: Any, depth: int) -> Any:
        if item is None:
            return None
        return Seen(type(item)) if is_service(name, item) else self._at(item, depth + 1)

    def _types(self, values: Any) -> list[type]:
        types = list(map(type, values))
        key = tuple(types)
        if len(self._shapes) >= _MOST_SHAPES:
            return self._shapes.get(key, types)
        return self._shapes.setdefault(key, types)

    def _note(self, said: Any) -> None:
        """Take note of a text that may hold placeholders."""
        if type(said) is str:
            if "[" in said:
                self._texts.append(to_utf8(said))
        elif type(said) is bytes and b"[" in said:
            self._texts.append(said)
