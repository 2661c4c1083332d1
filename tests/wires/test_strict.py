from __future__ import annotations

import pytest

from hookcore.wires import strict


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff", "no JSON"),
        (b"NaN", "NaN is no JSON"),
        (b'{"a": 1, "a": 2}', "a key twice"),
        (b"[" * 200_000, "nested too deeply"),
    ],
)
def test_what_two_programs_may_read_in_two_ways_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(strict.UnreadableError, match=why):
        strict.read(data)


def test_what_cannot_be_read_may_be_guessed() -> None:
    assert strict.guessed(b'{"a": 1, "a": 2}') == {"a": 2}
    assert strict.guessed(b"{") is None


def test_what_is_written_is_one_line_of_ascii() -> None:
    assert strict.write({"a": "\ud800é"}) == b'{"a":"\\ud800\\u00e9"}'
    assert strict.read(strict.write([1.0, None])) == [1.0, None]


@pytest.mark.parametrize(
    ("one", "other"), [(1, 1.0), (1, True), ([1], [1, 2]), ({"a": 1}, {"a": True}), ({}, [])]
)
def test_values_that_are_written_in_another_way_are_not_the_same(
    one: object, other: object
) -> None:
    assert strict.same(one, one)
    assert not strict.same(one, other)
