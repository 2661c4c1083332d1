"""Copies are like ``deepcopy``'s in value and sharing, and linear in the number of objects (C2)."""

from __future__ import annotations

import asyncio
import collections
import copy
import dataclasses
import sys
from collections.abc import Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from hookcore import HookManager
from hookcore.dispatch.copying import Snapshot, copy_payload, digest, same
from hookcore.dispatch.plain import plain
from hookcore.dispatch.views import data_copy, watched
from hookcore.hooks.options import OperatorOptions

from .kit import plugin_of


@dataclasses.dataclass
class Record:
    """A dataclass in a payload."""

    value: Any


ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.floats()
    | st.binary(max_size=2)
)


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    """Return a value whose parts are shared, and may hold themselves."""
    made: list[Any] = [draw(ATOMS)]
    for _ in range(draw(st.integers(1, 8))):
        parts = draw(st.lists(st.sampled_from(range(len(made))), max_size=4))
        items = [made[index] for index in parts]
        kind = draw(st.sampled_from(["list", "dict", "tuple", "record", "keys"]))
        if kind == "list":
            made.append(list(items))
        elif kind == "tuple":
            made.append(tuple(items))
        elif kind == "record":
            made.append(Record(items))
        elif kind == "keys":
            made.append(dict(enumerate(items)))
        else:
            made.append({str(index): item for index, item in enumerate(items)})
    loops = [item for item in made if type(item) is list]
    held = draw(st.booleans())
    if loops and held:
        loop: list[Any] = draw(st.sampled_from(loops))
        loop.append(made[-1])
    return made[-1]


def shape(value: Any, known: dict[int, int] | None = None) -> Any:
    """Return a value as nested tuples, with the number of the first place of what is shared.

    What cannot be changed may be shared or not: nobody can tell.
    """
    known = {} if known is None else known
    if isinstance(value, (list, dict, Record)):
        if id(value) in known:
            return known[id(value)]
        known[id(value)] = len(known)
    if isinstance(value, dict):
        return "dict", tuple((repr(key), shape(item, known)) for key, item in value.items())
    if isinstance(value, list):
        return "list", tuple(shape(item, known) for item in value)
    if isinstance(value, tuple):
        return "tuple", tuple(shape(item, known) for item in value)
    if isinstance(value, Record):
        return "record", shape(value.value, known)
    return type(value).__name__, repr(value)


def changeable(value: Any, found: dict[int, Any] | None = None) -> dict[int, Any]:
    """Return all parts of a value that can be changed, by their ids."""
    found = {} if found is None else found
    if id(value) in found:
        return found
    if isinstance(value, (list, dict, Record)):
        found[id(value)] = value
    parts: Any = ()
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, (list, tuple)):
        parts = value
    elif isinstance(value, Record):
        parts = [value.value]
    for part in parts:
        changeable(part, found)
    return found


COPIES: list[Callable[[Any], Any]] = [copy_payload, data_copy, watched]


@given(graphs())
@pytest.mark.parametrize("made_by", COPIES)
def test_a_copy_has_the_value_and_the_sharing_of_deepcopys(
    made_by: Callable[[Any], Any], value: Any
) -> None:
    if made_by is data_copy and isinstance(value, Record):
        return  # an object of the host's is what it goes on with
    assert shape(made_by(value)) == shape(copy.deepcopy(value)) == shape(value)


@given(graphs())
def test_a_copy_shares_nothing_that_can_be_changed(value: Any) -> None:
    parts = changeable(value)

    assert not parts.keys() & changeable(copy_payload(value)).keys()
    assert not parts.keys() & changeable(watched(value)).keys()


@given(graphs())
def test_what_is_plain_already_is_not_copied(value: Any) -> None:
    assert plain(value) is value


@given(graphs(), graphs())
def test_two_values_are_alike_where_their_digests_are(value: Any, other: Any) -> None:
    if digest(value) is not None and digest(value) == digest(other):
        assert shape(value) == shape(other) or value != value  # noqa: PLR0124 - NaN


@given(graphs())
def test_a_value_is_what_it_was_until_it_is_edited(value: Any) -> None:
    snapshot = Snapshot(value)
    assert not snapshot.changed()

    for part in changeable(value).values():
        if isinstance(part, list):
            part.append("edited")
            assert snapshot.changed()
            part.pop()
            assert not snapshot.changed()


def doubled(kind: str, depth: int) -> Any:
    """Return a value of so many objects, and of a number of paths exponential in that."""
    value: Any = [1] if kind != "tuple" else (1,)
    for _ in range(depth):
        if kind == "list":
            value = [value, value]
        elif kind == "dict":
            value = {"a": value, "b": value}
        elif kind == "tuple":
            value = (value, value)
        elif kind == "record":
            value = Record([value, value])
        else:
            value = [(value, value), {"a": value}]
    return value


def calls_of(work: Callable[[], Any]) -> int:
    """Return how many functions some work calls."""
    count = 0

    def trace(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(trace)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def holders() -> dict[str, Callable[[Any], Any]]:
    """Return ways to hold a value in an object that Python's own copying copies."""
    return {
        "record": Record,
        "named": lambda value: Named(value, 1),
        "ordered": lambda value: collections.OrderedDict(a=value),
        "deque": lambda value: collections.deque([value]),
        "user dict": lambda value: collections.UserDict(a=value),
        "chain": lambda value: collections.ChainMap({"a": value}),
        "namespace": lambda value: SimpleNamespace(a=value),
        "error": ValueError,
        "list of its own": lambda value: OwnList([value]),
        "slots": Slotted,
        "model": lambda value: Model(a=value),
    }


class Named(NamedTuple):
    a: Any
    b: Any


class OwnList(list[Any]):
    pass


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a: Any) -> None:
        self.a = a


class Model(BaseModel):
    a: Any


@pytest.mark.parametrize("holder", holders())
@pytest.mark.parametrize("work", [copy_payload, watched, data_copy])
def test_tuples_that_share_tuples_are_copied_in_linear_time_in_any_object(
    holder: str, work: Callable[[Any], Any]
) -> None:
    value: Any = (1, "a", None, b"b", Decimal(2), frozenset({1}), int)
    for _ in range(64):  # a copy of each path would never come to its end
        value = (value, value)
    made = holders()[holder](value)
    twin = work([made])[0]
    assert type(twin).__name__ in (type(made).__name__, "ReadOnly")


def test_the_parts_of_a_copy_that_began_anew_are_whole() -> None:
    shared: Any = (1,)
    for _ in range(16):
        shared = (shared, shared)
    inner = [1, 2]
    value = Record([inner, Record({"deep": shared, "again": inner}), {"inner": inner}])
    twin = copy_payload({"a": value, "b": inner})
    first = twin["b"]
    assert first == [1, 2]
    assert first is not inner
    parts = twin["a"].value
    assert parts[0] is first
    assert parts[1].value["again"] is first
    assert parts[2]["inner"] is first


KINDS = ["list", "dict", "tuple", "record", "mixed"]
WORK: dict[str, Callable[[Any], Any]] = {
    "copy": copy_payload,
    "view": watched,
    "data": data_copy,
    "plain": plain,
    "lying": lambda value: plain({"lie": Lie(), "value": value}),
    "snapshot": lambda value: Snapshot(value).changed(),
    "digest": digest,
    "same": lambda value: same(value, copy.deepcopy(value)),
}


class Lie(str):
    __slots__ = ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("work", sorted(set(WORK) - {"same"}))
def test_the_work_is_linear_in_the_number_of_objects(kind: str, work: str) -> None:
    one, two = doubled(kind, 20), doubled(kind, 40)

    assert calls_of(lambda: WORK[work](two)) < 2.5 * calls_of(lambda: WORK[work](one)) + 50


@pytest.mark.parametrize("kind", ["list", "dict", "mixed"])
def test_comparing_is_linear_in_the_number_of_objects(kind: str) -> None:
    one, two = doubled(kind, 20), doubled(kind, 40)
    twins = copy.deepcopy(one), copy.deepcopy(two)

    first = calls_of(lambda: same(one, twins[0]))
    assert calls_of(lambda: same(two, twins[1])) < 2.5 * first + 50


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_with_every_kind_of_hook_is_linear(kind: str) -> None:
    def steps(depth: int) -> int:
        manager = HookManager(track_mutations=True)

        async def around(ctx: Any, call_next: Any) -> Any:
            return await call_next()

        for point in ("pre_tool_call", "post_tool_call"):
            manager.register(plugin_of(point, lambda ctx: None))
            manager.register(plugin_of(point, lambda ctx: None, gate=True))
            manager.register_configured(
                plugin_of(point, lambda ctx: None), operator=OperatorOptions(mode="monitor")
            )
        manager.register(plugin_of("wrap_tool_call", around))
        manager.register(plugin_of("tool_finished", lambda ctx: None))
        value = doubled(kind, depth)

        async def work() -> None:  # asyncio looks at what a task gives
            await manager.acall_tool(
                "tool", {"value": value}, lambda used: value, attributes={"value": value}
            )

        return calls_of(lambda: asyncio.run(work()))

    base = steps(1)
    assert steps(40) - base < 2.5 * (steps(20) - base) + 200


@pytest.mark.parametrize(
    ("value", "other"),
    [
        *((b"\xab", "ab"), ((1,), [1]), ({1: 0}, {"1": 0}), (1, True), (1, 1.0), (None, "None")),
        *(({1}, [1]), ({1}, frozenset([1])), ([], ()), ({}, []), ([[]], [[], []])),
        *(({"a": None}, {}), ([1, [2]], [[1], 2]), ("1", 1), (b"a", bytearray(b"a"))),
        *((Decimal(1), 1), (Record(1), Record("1")), (Record((1,)), Record([1]))),
        *((Record({1: 1}), Record({"1": 1})), ({"x": {1, 2}}, {"x": {1, 3}})),
        ({1: 0}, {True: 0}),
        ({"a": 1, "b": Decimal(1)}, {"a": 2, "b": Decimal(1)}),
    ],
    ids=repr,
)
def test_values_of_different_types_are_told_apart(value: Any, other: Any) -> None:
    assert not Snapshot(value).is_of(other)
    assert digest(value) is None or digest(value) != digest(other)


@pytest.mark.parametrize(
    "beside",
    [object(), len, Decimal(1), bytearray(b"a"), range(3)],
    ids=["an object", "len", "a decimal", "a bytearray", "a range"],
)
def test_an_edit_beside_something_opaque_is_seen(beside: Any) -> None:
    value = {"opaque": beside, "path": "a"}
    snapshot = Snapshot(value)

    assert not snapshot.changed()
    value["path"] = "b"
    assert snapshot.changed()
