"""Answers of a wrong type are failures, and a near-miss of an abort is no allow (rule 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import (
    Abort,
    ChannelMessage,
    HookAborted,
    HookContext,
    HookDispatchedEvent,
    HookManager,
    MessageContext,
    ModelCallContext,
    ModelChoice,
    Replace,
    RunContext,
    ToolCallContext,
)

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


@pytest.mark.parametrize(
    "answer", ["deny", "allow", True, 0, [], Replace("deny"), Replace(None), HookAborted, Abort]
)
def test_a_wrong_answer_at_a_tool_call_is_a_failure(
    manager: HookManager, add: Add, call: Call, answer: Any
) -> None:
    add("pre_tool_call", lambda ctx: answer, on_error="deny")

    with pytest.raises(HookAborted, match="WrongResultError"):
        manager.dispatch("pre_tool_call", call())


@pytest.mark.parametrize("answer", [HookAborted("no"), HookAborted, Abort, Replace])
def test_a_near_miss_of_an_abort_is_a_failure_where_any_payload_may_be(
    manager: HookManager, add: Add, call: Call, answer: Any
) -> None:
    add("post_tool_call", lambda ctx: answer, on_error="deny")

    with pytest.raises(HookAborted, match="WrongResultError"):
        manager.dispatch("post_tool_call", call(payload="result"))


@pytest.mark.parametrize("answer", [Abort("no"), Replace("x")])
def test_an_answer_that_is_assigned_instead_of_returned_is_a_failure(
    manager: HookManager, add: Add, call: Call, answer: Any
) -> None:
    def hook(ctx: Any) -> None:
        ctx.payload = answer

    add("post_tool_call", hook, on_error="deny")

    with pytest.raises(HookAborted, match="WrongResultError"):
        manager.dispatch("post_tool_call", call(payload="result"))


@pytest.mark.parametrize(
    ("point", "ctx", "answer"),
    [
        ("pre_model_call", ModelCallContext(messages=[]), {}),
        ("model_resolve", ModelCallContext(payload=ModelChoice("a", "b")), "b"),
        ("prompt_build", ModelCallContext(payload="text"), ["text"]),
        ("execution_start", RunContext(payload={}), None.__class__),
        (
            "message_sending",
            MessageContext(
                payload=ChannelMessage(channel="c", sender="s", recipient="r", content="x")
            ),
            "x",
        ),
    ],
)
def test_each_point_has_its_right_type(
    manager: HookManager, add: Add, point: str, ctx: HookContext, answer: Any
) -> None:
    add(point, lambda ctx: answer, on_error="deny")

    with pytest.raises(HookAborted, match="WrongResultError"):
        manager.dispatch(point, ctx)


@pytest.mark.parametrize("on_error", ["allow", "deny", "raise"])
def test_a_wrong_answer_denies_whatever_on_error_says_of_failures(
    manager: HookManager, add: Add, call: Call, on_error: Any
) -> None:
    add("pre_tool_call", lambda ctx: "deny", on_error=on_error)

    with pytest.raises(HookAborted, match="WrongResultError"):
        manager.dispatch("pre_tool_call", call())


def test_a_wrong_answer_of_a_monitored_hook_is_recorded_as_a_failure(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    add("pre_tool_call", lambda ctx: "deny", operator={"mode": "monitor"})

    manager.dispatch("pre_tool_call", call())

    (record,) = events[0].records
    assert (record.verdict, record.effect) == ("error", "observed")


def test_an_observer_that_returns_something_has_failed(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    add("tool_finished", lambda ctx: "no")

    manager.dispatch("tool_finished", call())

    assert [record.verdict for record in events[0].records] == ["error"]


def test_a_payload_that_a_failing_hook_bound_is_discarded(
    manager: HookManager, add: Add, call: Call
) -> None:
    def hook(ctx: Any) -> None:
        ctx.payload = {"new": 1}
        raise ZeroDivisionError

    add("pre_tool_call", hook)

    assert manager.dispatch("pre_tool_call", call()).payload == {"path": "notes.txt"}


def test_what_a_failing_hook_edited_in_place_stays(
    manager: HookManager, add: Add, call: Call
) -> None:
    def hook(ctx: Any) -> None:
        ctx.payload["edited"] = True
        raise ZeroDivisionError

    add("pre_tool_call", hook)

    assert manager.dispatch("pre_tool_call", call(payload={})).payload == {"edited": True}
