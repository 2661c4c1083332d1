"""A rewritten text goes back into the texts that it was put together from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore.streaming.spreading import spread


@pytest.mark.parametrize(
    ("new", "old", "spread_over"),
    [
        ("ab", ["a", "b"], ["a", "b"]),
        ("a [key] b", ["a sk-1 b"], ["a [key] b"]),
        ("a [key]", ["a ", "sk-1"], ["a ", "[key]"]),
        ("[key] b", ["sk-1", " b"], ["[key]", " b"]),
        (
            "my [key] and your [key].",
            ["my sk-1 and ", "your sk-2."],
            ["my [key] and ", "your [key]."],
        ),
        ("xyz", ["a secret", "b secret"], ["xyz", ""]),
        ("", ["a", "b"], ["", ""]),
        ("more", [], []),
    ],
)
def test_what_was_not_changed_stays_where_it_was(
    new: str, old: list[str], spread_over: list[str]
) -> None:
    assert spread(new, old) == spread_over


@given(new=st.text("ab ", max_size=30), old=st.lists(st.text("ab ", max_size=9), min_size=1))
def test_nothing_is_lost_or_said_twice(new: str, old: list[str]) -> None:
    texts = spread(new, old)
    assert ("".join(texts), len(texts)) == (new, len(old))


@given(old=st.lists(st.text("ab ", max_size=9)))
def test_an_unchanged_text_is_spread_as_it_was(old: list[str]) -> None:
    assert spread("".join(old), old) == old
