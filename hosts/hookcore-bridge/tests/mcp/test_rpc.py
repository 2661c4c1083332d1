from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore_bridge.mcp import rpc

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(JSON)
def test_what_is_written_is_read_again_as_it_was(value: Any) -> None:
    assert rpc.same(rpc.read(rpc.write(value)), value)
    assert b"\n" not in rpc.write(value)


@given(JSON, JSON)
def test_two_values_are_the_same_when_they_are_written_alike(one: Any, other: Any) -> None:
    assert rpc.same(one, other) == (json.dumps(one) == json.dumps(other))


@pytest.mark.parametrize("pair", [(1, True), (1, 1.0), (0, False), ([1], [True]), ("1", 1)])
def test_values_that_python_takes_for_equal_are_told_apart(pair: tuple[Any, Any]) -> None:
    assert not rpc.same(*pair)


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": 1, "id": 2}',
        b'{"params": {"name": "a", "name": "b"}}',
        b'{"a": NaN}',
        b"[Infinity]",
        b"{broken",
        b"\xff\xfe",
        b'\xef\xbb\xbf{"a": 1}',
        b'{"a":1}'.decode().encode("utf-16"),
        b"[" * 100_000,
        b'"\xed\xa0\x80"',
        b"",
        b"1" * 5000,
    ],
)
def test_what_others_might_read_in_another_way_is_unreadable(line: bytes) -> None:
    with pytest.raises(rpc.UnreadableError):
        rpc.read(line)


def test_the_error_does_not_show_the_text() -> None:
    with pytest.raises(rpc.UnreadableError) as caught:
        rpc.read(b'{"key": "hunter2"')
    assert "hunter2" not in repr(caught.value)


@pytest.mark.parametrize("value", [1, 0, -1, "1", ""])
def test_a_text_and_a_whole_number_are_ids(value: Any) -> None:
    assert rpc.is_id(value)


@pytest.mark.parametrize("value", [None, True, 1.0, [1], {}])
def test_nothing_else_is_an_id(value: Any) -> None:
    assert not rpc.is_id(value)
