"""The digest of a call: the same for the same call, another for any other."""

from __future__ import annotations

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from hookcore_approval import NoCanonicalFormError, call_digest
from hookcore_approval._digest import _Reading, _simple, binding_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(TEXTS, VALUES, max_size=4)


def plain(value: Any) -> Any:
    """A value in a form in which no two that mean something else are equal."""
    if isinstance(value, dict):
        return ("dict", sorted((key, plain(inner)) for key, inner in value.items()))
    if isinstance(value, list):
        return ("list", [plain(inner) for inner in value])
    if isinstance(value, int | float) and not isinstance(value, bool):
        # What JSON's readers take for the same number is the same.
        return ("number", float(value) if abs(value) < 2**53 or value % 1 else repr(value))
    return (type(value).__name__, value)


@given(ARGUMENTS, ARGUMENTS)
def test_calls_have_one_digest_when_they_are_the_same_and_only_then(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    same = json.dumps(plain(one)) == json.dumps(plain(other))
    assert (call_digest("t", one) == call_digest("t", other)) == same


@given(st.dictionaries(TEXTS.filter(str.isascii), VALUES, max_size=4))
def test_simple_arguments_have_the_canonical_form_that_the_library_gives(
    arguments: dict[str, Any],
) -> None:
    reading = _Reading()
    plain = reading.plain({**arguments, "x": '\x7f\u2028/\\"\b\x0b'}, "", 0)
    if reading.is_simple:
        assert _simple(plain) == rfc8785.dumps(plain)


@given(ARGUMENTS)
def test_the_order_of_keys_does_not_matter(arguments: dict[str, Any]) -> None:
    turned = dict(reversed(arguments.items()))
    assert call_digest("t", turned) == call_digest("t", arguments)


DIFFERENT: list[tuple[Any, Any]] = [
    ({"a": 10}, {"a": 10000}),
    ({"a": "1"}, {"a": 1}),
    ({"a": True}, {"a": 1}),
    ({"a": None}, {}),
    ({"a": 2**60}, {"a": 2**60 + 1}),
    ({"a": 2**60}, {"a": f"{2**60:x}"}),
    ({"a": 2**60}, {"a": float(2**60)}),
    ({"a": -(2**60)}, {"a": 2**60}),
    (
        {"a": {"b": 2**60}, "a/1:b": "1000000000000000"},
        {"a": {"b": "1000000000000000"}, "a/1:b": 2**60},
    ),
    ({"0": [2**60]}, {"0": {"0": 2**60}}),
    ({"a": "x"}, {"a": "x "}),
    ({"a": "\u00e9"}, {"a": "e\u0301"}),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_any_difference_is_another_call(one: Any, other: Any) -> None:
    assert call_digest("t", one) != call_digest("t", other)


def test_tool_and_folder_belong_to_the_call() -> None:
    digests = [
        call_digest("t", {}),
        call_digest("T", {}),
        call_digest("t", {}, "/a"),
        call_digest("t", {}, "/b"),
    ]
    assert len(set(digests)) == 4


def test_a_large_number_has_one_digest_wherever_its_key_stands() -> None:
    assert call_digest("t", {"a": 2**60, "b": 2**61}) == call_digest("t", {"b": 2**61, "a": 2**60})


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), "\ud800", {1: 2}, b"x", object(), {"a": {"\udfff": 1}}, {1, 2}],
)
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(NoCanonicalFormError, match="arguments that have no canonical form"):
        call_digest("t", {"a": value})


def test_arguments_that_nobody_could_read_are_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(NoCanonicalFormError):
        call_digest("t", {"a": deep})
    with pytest.raises(NoCanonicalFormError, match="too long to be shown"):
        call_digest("t", {"a": "x" * 300_000})


def test_an_approval_is_of_one_scope() -> None:
    assert binding_of("d", "session a") != binding_of("d", "session b")
    assert binding_of("d", "session \ud800") != binding_of("d", "session \\ud800")
