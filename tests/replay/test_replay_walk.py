from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookctl.replay.formats.message import turn_of
from hookctl.replay.model import Moment, RecordedRun
from hookctl.replay.walk import walk

SYSTEM = {"role": "system", "content": "rules"}
USER = {"role": "user", "content": "hi"}
ANSWER = {"role": "assistant", "content": "hello"}


def asks(*names: str) -> dict[str, object]:
    calls = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in names]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tells(identity: str | None, **more: object) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": identity, "content": "ok", **more}


def run_of(*messages: dict[str, Any]) -> RecordedRun:
    turns = [turn_of(message, f"messages[{at}]") for at, message in enumerate(messages)]
    return RecordedRun("r", "here", turns)


def points(*messages: dict[str, Any]) -> list[tuple[str, int]]:
    return [(moment.point, moment.operation.step) for moment in walk(run_of(*messages))]


def test_a_conversation_shows_each_point_once_and_in_order() -> None:
    assert points(SYSTEM, USER, asks("x"), tells("x"), ANSWER) == [
        ("execution_start", 0),
        ("input", 0),
        ("pre_model_call", 1),
        ("post_model_call", 1),
        ("pre_tool_call", 2),
        ("post_tool_call", 2),
        ("pre_model_call", 3),
        ("post_model_call", 3),
        ("output", 4),
        ("execution_end", 4),
    ]


def test_a_model_call_sees_the_messages_before_it() -> None:
    seen = [
        json.loads(json.dumps(moment.payload))
        for moment in walk(run_of(SYSTEM, USER, ANSWER, USER, ANSWER))
        if moment.point == "pre_model_call"
    ]
    assert seen == [[SYSTEM, USER], [SYSTEM, USER, ANSWER, USER]]


def test_messages_after_the_last_answer_are_judged_as_well() -> None:
    assert points(USER, ANSWER, USER)[-4:] == [
        ("post_model_call", 1),
        ("pre_model_call", 2),
        ("output", 3),
        ("execution_end", 3),
    ]


def test_a_tool_result_after_the_last_answer_is_judged_only_once() -> None:
    assert points(USER, asks("x"), tells("x"))[-2:] == [("post_tool_call", 2), ("execution_end", 3)]


def test_a_run_without_user_messages_starts_and_ends() -> None:
    assert points() == [("execution_start", 0), ("execution_end", 1)]
    assert points(ANSWER)[0] == ("execution_start", 0)


def test_a_denied_call_has_no_moment_after_it() -> None:
    seen = []
    for moment in walk(run_of(USER, asks("x", "y"), tells("x"), tells("y"))):
        seen.append(moment.point)
        call = moment.operation.call
        moment.operation.denied = call is not None and call.name == "x"
    assert seen.count("post_tool_call") == 1


def test_a_denied_model_call_has_no_answer_but_its_tool_calls_are_judged() -> None:
    seen = []
    for moment in walk(run_of(USER, asks("x"))):
        seen.append(moment.point)
        moment.operation.denied = moment.point == "pre_model_call"
    assert "post_model_call" not in seen
    assert "pre_tool_call" in seen


def after(*messages: dict[str, Any]) -> list[tuple[str | None, int]]:
    return [
        (moment.operation.call.name if moment.operation.call else None, moment.operation.step)
        for moment in walk(run_of(*messages))
        if moment.point == "post_tool_call"
    ]


def test_parallel_results_find_their_calls_in_any_order() -> None:
    assert after(USER, asks("x", "y"), tells("y"), tells("x")) == [("y", 3), ("x", 2)]


def test_an_id_used_again_belongs_to_the_open_call() -> None:
    assert after(USER, asks("x"), tells("x"), asks("x"), tells("x")) == [("x", 2), ("x", 4)]


def test_a_result_without_an_id_is_found_by_name_or_order() -> None:
    assert after(USER, asks("x", "y"), tells(None, name="y"), tells(None)) == [("y", 3), ("x", 2)]


def test_a_result_without_a_call_is_judged_with_the_tool_unknown() -> None:
    assert after(USER, tells("z")) == [(None, 1)]


def test_the_output_is_the_text_of_the_last_answer() -> None:
    moments = list(walk(run_of(USER, {"role": "assistant", "content": [{"text": "a"}]})))
    assert [moment.payload for moment in moments[-2:]] == ["a", "a"]


MESSAGES = st.lists(
    st.one_of(
        st.just(SYSTEM),
        st.just(USER),
        st.just(ANSWER),
        st.lists(st.sampled_from("xyz"), min_size=1, max_size=3).map(lambda names: asks(*names)),
        st.sampled_from("xyz").map(tells),
    ),
    max_size=20,
)


@given(MESSAGES)
def test_every_call_and_result_and_answer_is_judged_exactly_once(
    messages: list[dict[str, Any]],
) -> None:
    moments: list[Moment] = list(walk(run_of(*messages)))
    names = [moment.point for moment in moments]
    answers = [message for message in messages if message["role"] == "assistant"]
    assert names.count("pre_tool_call") == sum(len(one.get("tool_calls", ())) for one in answers)
    assert names.count("post_tool_call") == sum(one["role"] == "tool" for one in messages)
    assert names.count("post_model_call") == len(answers)
    assert names.count("execution_start") == names.count("execution_end") == 1
    places = [(moment.operation.step, moment.point) for moment in moments]
    assert len(places) == len(set(places))
