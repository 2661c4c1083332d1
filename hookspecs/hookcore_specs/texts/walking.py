"""Finding every text in a value, and making a value like it in which some are others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final

from .codecs import codec_of
from .labels import Place, is_skipped, place_in, place_of
from .state import UnreadableError, holds_no_text, state_of, unreadable, with_state

__all__ = ["Changes", "Found", "Step", "find", "rebuilt"]

Step = tuple[str, Any]
"""One step from a value to what it holds: of which sort, and the name, place or number."""
Found = tuple[tuple[Step, ...], str, Place]
"""The way to a text, the text, and where it stands."""
Changes = dict[Step, Any]
"""New texts by the steps that lead to them, nested."""

_DEEPEST: Final = 100
_EMBEDDED: Final = 100
"""Within how many characters the head of a ``data:`` address ends."""


def find(
    value: Any, place: Place, way: tuple[Step, ...] = (), above: tuple[int, ...] = ()
) -> Iterator[Found]:
    """Yield every text in a value, in the order in which it stands there.

    Args:
        value: the value.
        place: where it stands.
        way: the steps that led to it.
        above: the ids of what it lies in.

    Raises:
        UnreadableError: somewhere in it nothing can be read.
    """
    if isinstance(value, str):
        yield from _in_text(value, place, way, above)
        return
    if holds_no_text(value) or id(value) in above:
        return
    if len(above) > _DEEPEST:
        raise UnreadableError(f"a payload lies more than {_DEEPEST} levels deep")
    above = (*above, id(value))
    if place.is_json:
        place = replace(place, is_json=False)  # said of a text, and of none that lies deeper
    yield from _inside(value, place, way, above)


def _inside(
    value: Any, place: Place, way: tuple[Step, ...], above: tuple[int, ...]
) -> Iterator[Found]:
    codec = codec_of(type(value))
    if codec is not None:
        for index, part in enumerate(codec.texts(value)):
            yield (*way, ("codec", index)), part.text, _told(part, place)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from find(item, place, (*way, ("item", index)), above)
    elif isinstance(value, PurePath):
        yield (*way, ("path", type(value))), str(value), place
    elif isinstance(value, (set, frozenset)) or hasattr(value, "__next__"):
        raise unreadable(value)
    else:
        yield from _in_object(value, place, way, above)


def _in_object(
    value: Any, place: Place, way: tuple[Step, ...], above: tuple[int, ...]
) -> Iterator[Found]:
    state = state_of(value)
    is_object = not isinstance(value, Mapping)
    inside, is_part = place_of(state, place, is_object=is_object)
    for name, item in state.items():
        if item is None:
            continue  # most of what some objects hold, and not worth a look at its name
        if not is_skipped(name, state, inside, is_part=is_part):
            step = ("field" if is_object else "key", name)
            yield from find(item, place_in(name, state, inside), (*way, step), above)


def _in_text(
    text: str, place: Place, way: tuple[Step, ...], above: tuple[int, ...]
) -> Iterator[Found]:
    if holds_no_text(text) or not text or _is_embedded(text):
        return
    if place.is_json and text.lstrip()[:1] in {"{", "["}:
        parsed = _parsed(text)
        if parsed is not None:
            yield from find(parsed, place, (*way, ("json", "")), above)
            return
    yield way, text, place


def _is_embedded(text: str) -> bool:
    return text.startswith("data:") and ";base64," in text[:_EMBEDDED]


def _told(part: Any, place: Place) -> Place:
    return Place(
        part.role or place.role, part.kind or place.kind, part.tool or place.tool, place.is_data
    )


def _parsed(text: str) -> Any:
    """Return what a JSON text stands for; None where another reader could find something else."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands there twice")
    return found


def rebuilt(value: Any, changes: Changes) -> Any:
    """Return a value like ``value`` with other texts; what stays as it is stays shared.

    Args:
        value: the value.
        changes: the new texts.
    """
    (sort, detail), inner = next(iter(changes.items()))
    if sort == "json":
        return json.dumps(_new(_parsed(value), inner), ensure_ascii=False)
    if sort == "path":
        return detail(inner)
    if sort == "codec":
        return _recoded(value, {index: text for (_, index), text in changes.items()})
    if sort == "item":
        items = list(value)
        for (_, index), change in changes.items():
            items[index] = _new(items[index], change)
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    state = state_of(value)
    return with_state(
        value, {name: _new(state[name], change) for (_, name), change in changes.items()}
    )


def _new(value: Any, change: Any) -> Any:
    return change if isinstance(change, str) else rebuilt(value, change)


def _recoded(value: Any, texts: dict[int, str]) -> Any:
    codec = codec_of(type(value))
    if codec is None:
        raise unreadable(value)  # it was taken out meanwhile
    known = [part.text for part in codec.texts(value)]
    return codec.with_texts(value, [texts.get(index, text) for index, text in enumerate(known)])
