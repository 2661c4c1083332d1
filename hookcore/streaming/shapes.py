"""Events as trees of dicts, lists and objects: reading them, and writing copies with a change."""

from __future__ import annotations

import copy
import json
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from .codec import PartsCodec
from .parts import Key, Part, Parts, StreamCall, StreamEnd, StreamText

__all__ = [
    "Found",
    "Path",
    "ShapeCodec",
    "beside",
    "fields_of",
    "get",
    "is_record",
    "joined",
    "leaves",
    "put",
    "repeated",
]

Path: TypeAlias = tuple[Any, ...]
"""The way from an event to something in it: names, and numbers in lists."""


def get(value: Any, name: str, default: Any = None) -> Any:
    """Return a field of a dict or an object; the default where there is none."""
    if type(value) is dict or isinstance(value, Mapping):  # the first costs a tenth of the other
        return value.get(name, default)
    return getattr(value, name, default)


def fields_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a dict or an object that hold something, by name."""
    if type(value) is dict or isinstance(value, Mapping):
        items: Iterable[tuple[str, Any]] = list(value.items())
    else:
        names = list(getattr(type(value), "model_fields", ()))
        names += getattr(value, "model_extra", None) or ()
        items = [(name, getattr(value, name, None)) for name in names or vars(value)]
    for name, item in items:
        if not _is_empty(item):
            yield name, item


def is_record(value: Any) -> bool:
    """Return whether something has fields that can be read by their names."""
    if type(value) is dict or isinstance(value, Mapping):
        return True
    return hasattr(type(value), "model_fields") or hasattr(value, "__dict__")


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (str, list, dict)) and not value)


def put(value: Any, path: Path, new: Any) -> Any:
    """Return a copy of a tree with something else at the end of a path; the tree stays as it is."""
    if not path:
        return new
    name, rest = path[0], path[1:]
    if isinstance(value, (list, tuple)):
        items = list(value)
        items[name] = put(items[name], rest, new)
        return items
    if isinstance(value, Mapping):
        return {**value, name: put(value.get(name), rest, new)}
    inner = put(getattr(value, name, None), rest, new)
    model_copy = getattr(value, "model_copy", None)
    if model_copy is not None:
        return model_copy(update={name: inner})
    twin = copy.copy(value)
    setattr(twin, name, inner)
    return twin


_TELLS_NOTHING = frozenset(
    {"encrypted_content", "id", "object", "role", "signature", "status", "tool_use_id", "type"}
)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield all texts in a tree with their paths, but for ids and the names of kinds."""
    if isinstance(value, str):
        yield path, str.__str__(value)  # of a member of an enumeration too, what it holds
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif isinstance(value, Mapping) or hasattr(type(value), "model_fields"):
        for name, item in fields_of(value):
            if name not in _TELLS_NOTHING and not name.endswith("_id"):
                yield from leaves(item, (*path, name))


@dataclass(frozen=True, slots=True)
class Found:
    """A part of an event and its place there.

    Args:
        part: the part.
        path: where its text or its arguments stand.
        parsed: the arguments stand there as an object, not as text.
        name_path: where a call's name stands.
        item: where the call stands in a list of calls, when it stands in one.
        drops: what tells the same text or call in another way, and goes when that is changed.
    """

    part: Part
    path: Path = ()
    parsed: bool = False
    name_path: Path = ()
    item: Path = ()
    drops: tuple[tuple[Path, Any], ...] = ()


class ShapeCodec(PartsCodec):
    """A codec for events whose parts have places: it says which, and the rest follows."""

    @abstractmethod
    def found(self, event: Any) -> list[Found] | None:
        """Return the parts of an event with their places; None for one that it cannot read."""

    def rest(self, event: Any) -> list[tuple[Path, Any]]:
        """Return what must come only once, with what stands in its place elsewhere."""
        del event
        return []

    def made(self, event: Any) -> Any:
        """Return an event that was put together anew as the library would have made it."""
        return event

    def parts(self, event: Any) -> Parts | None:
        """Return what an event is made of, None for one that is not known."""
        found = self.found(event)
        return None if found is None else [item.part for item in found]

    def with_parts(self, event: Any, parts: Parts) -> Any:
        """Return an event like ``event`` with other parts."""
        changed = event
        for item, part in zip(self.found(event) or (), parts, strict=True):
            if part == item.part:
                continue
            if isinstance(part, StreamText):
                changed = put(changed, item.path, part.text)
            elif isinstance(part, StreamCall):
                arguments = _parsed(part.arguments) if item.parsed else part.arguments
                changed = put(changed, item.path, arguments)
                if item.name_path:
                    changed = put(changed, item.name_path, part.name)
            for path, empty in item.drops:
                changed = put(changed, path, empty)
        return event if changed is event else self.made(changed)

    def split(self, event: Any) -> Sequence[Any]:
        """Return events that together say what ``event`` says, each one kind of thing."""
        found, rest = self.found(event) or (), self.rest(event)
        texts = [item for item in found if isinstance(item.part, StreamText)]
        calls = [item for item in found if isinstance(item.part, StreamCall)]
        ends = len(texts) + len(calls) < len(found)
        whole = any(isinstance(item.part, StreamCall) and item.part.repeats for item in found)
        if whole or bool(texts) + len(calls) + bool(rest) <= 1:
            return (event,)
        groups = ([texts] if texts else []) + [[call] for call in calls]
        pieces = [self._only(event, group, found, rest) for group in groups]
        if rest:
            pieces.append(self._only(event, [], found, []))
        elif ends and not texts:
            pieces[-1] = self._only(event, groups[-1], found, [])
        return [self.made(piece) for piece in pieces]

    def _only(
        self,
        event: Any,
        group: Sequence[Found],
        found: Sequence[Found],
        rest: Sequence[tuple[Path, Any]],
    ) -> Any:
        lists: dict[Path, list[Any]] = {}
        for item in found:
            if isinstance(item.part, StreamEnd):
                continue
            if item.item:
                kept = lists.setdefault(item.item[:-1], [])
                if item in group:
                    kept.append(at(event, item.item))
            elif item not in group:
                event = put(event, item.path, "")
        for path, kept in lists.items():
            event = put(event, path, kept)
        for path, empty in rest:
            event = put(event, path, empty)
        return event


def at(value: Any, path: Path) -> Any:
    """Return what stands at the end of a path."""
    for name in path:
        value = value[name] if isinstance(value, (list, tuple)) else get(value, name)
    return value


def _parsed(text: str) -> Any:
    return json.loads(text or "{}")


def repeated(value: Any, path: Path, key: Key) -> list[Found]:
    """Return all texts in a tree as parts that are each said once and whole."""
    found: list[Found] = []
    for inner, text in leaves(value):
        whole = (*key, *inner)
        found.append(Found(StreamEnd(whole)))
        found.append(Found(StreamText(text, whole, repeats=True, apart=True), (*path, *inner)))
    return found


def joined(*groups: list[Found] | None) -> list[Found] | None:
    """Return all parts; None where a group could not be read."""
    found: list[Found] = []
    for group in groups:
        if group is None:
            return None
        found += group
    return found


def beside(value: Any, known: frozenset[str], path: Path = (), key: Key = ()) -> list[Found] | None:
    """Return the texts in those fields of a record that its reader does not know.

    A service may say something in a field of its own, and a new version in a new one.

    Args:
        value: a dict or an object.
        known: the fields that are read elsewhere, or that say nothing of the response.
        path: the way to the record.
        key: what tells the record's texts from others.

    Returns:
        The texts as parts that are each said whole; None where a field holds what cannot be read.
    """
    names: Any
    if type(value) is dict:
        if known.issuperset(value):
            return []  # nearly always
        names = value.keys() - known
    elif isinstance(value, Mapping):
        names = set(value) - known
    elif hasattr(type(value), "model_fields"):
        names = _others(type(value), known)  # type: ignore[arg-type]  # mypy: no class is hashable
        extra = getattr(value, "model_extra", None)
        if extra:
            names = (*names, *(extra.keys() - known))
    else:
        names = vars(value).keys() - known
    found: list[Found] = []
    for name in sorted(names, key=str) if names else ():
        item = get(value, name)
        if not _is_tree(item):
            return None
        found += repeated(item, (*path, name), (*key, "beside", name))
    return found


@lru_cache(1024)
def _others(kind: Hashable, known: frozenset[str]) -> tuple[str, ...]:
    fields: Any = kind.model_fields  # type: ignore[attr-defined]
    return tuple(name for name in fields if name not in known)


def _is_tree(value: Any) -> bool:
    if value is None or isinstance(value, (str, bool, int, float)):
        return True
    if isinstance(value, (list, tuple)):
        return all(map(_is_tree, value))
    if isinstance(value, Mapping):
        return all(map(_is_tree, value.values()))
    return hasattr(type(value), "model_fields")
