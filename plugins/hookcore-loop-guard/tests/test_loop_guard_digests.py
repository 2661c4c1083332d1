from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from hookcore_loop_guard._digests import Digests

DIGESTS = Digests(("nonce",))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


class Reply(BaseModel):
    text: str
    nonce: int


@dataclass
class Point:
    x: float
    nonce: int


class Plain:
    pass


@dataclass(repr=False)
class Node:
    others: list[Node] = field(default_factory=list)


class Broken:
    def __repr__(self) -> str:
        raise ValueError("it shows nothing")


@given(JSON)
def test_a_value_has_the_digest_of_its_copy(value: Any) -> None:
    def copied(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: copied(each) for name, each in reversed(part.items())}
        return [copied(each) for each in part] if isinstance(part, list) else part

    assert DIGESTS.of(value) == DIGESTS.of(copied(value))


@given(JSON, JSON)
def test_values_that_differ_have_digests_that_differ(one: Any, other: Any) -> None:
    if DIGESTS.of(one) == DIGESTS.of(other):
        assert repr(one) == repr(other) or one == other or "nonce" in repr((one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Reply(text="a", nonce=1), Reply(text="a", nonce=2)),
        (Point(1.0, 1), Point(1, 2)),
        (Plain(), Plain()),
        ({"a", "b"}, {"b", "a"}),
        (ValueError("x"), ValueError("x")),
        (math.nan, math.nan),
        (2**60, float(2**60)),
    ],
)
def test_what_says_the_same_has_one_digest(one: Any, other: Any) -> None:
    assert DIGESTS.of(one) == DIGESTS.of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Reply(text="a", nonce=1), Reply(text="b", nonce=1)),
        (Point(1, 1), Point(2, 1)),
        (ValueError("x"), TypeError("x")),
        (b"1", "1"),
        (2**60, 2**60 + 1),
        ({"1": 1}, {"1": "1"}),
        (["a, b"], ["a", "b"]),
    ],
)
def test_what_says_something_else_has_another(one: Any, other: Any) -> None:
    assert DIGESTS.of(one) != DIGESTS.of(other)


def test_a_value_of_any_depth_has_a_digest() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert DIGESTS.of(deep)


def test_values_that_hold_themselves_and_each_other_have_a_digest() -> None:
    ring: dict[str, Any] = {}
    ring.update({str(n): ring for n in range(10)})
    assert DIGESTS.of(ring)
    nodes = [Node() for _ in range(20)]
    for node in nodes:
        node.others = nodes
    assert DIGESTS.of(nodes)


def test_values_that_are_many_times_the_same_object_are_read_so_far_only() -> None:
    row = list(range(40_000))
    assert DIGESTS.of([row] * 40_000)
    sets: frozenset[Any] = frozenset()
    for number in range(40):
        sets = frozenset({sets, number})
    assert DIGESTS.of(sets)


def test_keys_that_look_alike_are_no_failure() -> None:
    assert DIGESTS.of({1: "a", "1": "b"}) != DIGESTS.of({1: "b", "1": "a"})


def test_a_value_that_cannot_be_read_counts_as_its_class() -> None:
    assert DIGESTS.of(Broken()) == DIGESTS.of(Broken())
    assert DIGESTS.of(Broken()) != DIGESTS.of(Plain())
