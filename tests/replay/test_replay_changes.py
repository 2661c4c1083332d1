from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookctl.replay.changes import MISSING, LeafChange, Reported, leaf_changes

JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=15,
)


def test_the_smallest_values_that_differ_are_found() -> None:
    before = {"a": [{"b": "x", "c": 1}], "gone": 1}
    after = {"a": [{"b": "y", "c": 1}], "new": 2}
    assert leaf_changes(before, after) == [
        LeafChange(("a", 0, "b"), "x", "y"),
        LeafChange(("gone",), 1, MISSING),
        LeafChange(("new",), MISSING, 2),
    ]


def test_an_item_put_before_the_others_changes_no_other() -> None:
    assert leaf_changes(["a", "b"], ["new", "a", "b"]) == [LeafChange((0,), MISSING, "new")]


def test_a_value_of_another_type_is_a_change() -> None:
    assert leaf_changes("1", 1) == [LeafChange((), "1", 1)]


def test_an_object_that_cannot_be_compared_is_a_change() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        __hash__ = object.__hash__

    assert len(leaf_changes(Odd(), Odd())) == 1


@given(JSON)
def test_a_copy_has_no_changes(value: Any) -> None:
    assert leaf_changes(value, copy.deepcopy(value)) == []


@given(JSON, JSON)
def test_different_values_have_changes(one: Any, other: Any) -> None:
    assert bool(leaf_changes(one, other)) == (one != other or type(one) is not type(other))


def history(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts]


def masked(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{**one, "content": one["content"].replace("key", "***")} for one in messages]


def fresh(reported: Reported, messages: list[dict[str, str]]) -> int:
    changes = leaf_changes(messages, masked(messages))
    return len(reported.new("redact", "pre_model_call", changes))


def test_a_change_of_an_old_message_is_not_new() -> None:
    reported = Reported()
    assert fresh(reported, history("my key")) == 1
    assert fresh(reported, history("my key", "thanks")) == 0
    assert fresh(reported, history("my key", "thanks", "a key too")) == 1


def test_the_same_words_said_again_are_new() -> None:
    reported = Reported()
    assert fresh(reported, history("my key")) == 1
    assert fresh(reported, history("my key", "my key")) == 1
    assert fresh(reported, history("my key", "my key")) == 0


def test_what_was_reported_at_another_point_is_not_new_in_the_history() -> None:
    reported = Reported()
    reported.add("redact", "post_tool_call", leaf_changes("a key", "a ***"))
    assert fresh(reported, history("a key")) == 0


def test_what_another_plugin_did_is_new() -> None:
    reported = Reported()
    reported.add("other", "input", leaf_changes("a key", "a ***"))
    assert fresh(reported, history("a key")) == 1


def test_messages_dropped_from_a_growing_history_are_new_one_by_one() -> None:
    reported = Reported()
    counts = []
    for length in (3, 4, 5):
        messages = history(*(f"message {number}" for number in range(length)))
        changes = leaf_changes(messages, messages[-2:])
        counts.append(len(reported.new("window", "pre_model_call", changes)))
    assert counts == [1, 1, 1]


def test_a_reminder_added_to_each_history_is_new_once() -> None:
    reported = Reported()
    counts = []
    for length in (1, 2, 3):
        messages = history(*(f"message {number}" for number in range(length)))
        changes = leaf_changes(messages, [*messages, {"role": "system", "content": "remember"}])
        counts.append(len(reported.new("reminder", "pre_model_call", changes)))
    assert counts == [1, 0, 0]
