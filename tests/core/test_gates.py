"""Gates judge a copy of what will really be used, and nothing changes it afterwards (rule 2)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, HookManager, Replace, ToolCallContext

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


def refuse(ctx: Any) -> None:
    raise HookAborted("no")


@pytest.fixture
def judged(add: Add) -> list[Any]:
    """Return the list of what a gate at pre_tool_call judges: pairs of tool and payload."""
    seen: list[Any] = []
    add("pre_tool_call", lambda ctx: seen.append((ctx.tool_name, ctx.payload)), gate=True)
    return seen


def test_a_gate_aborts(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", refuse, gate=True, name="gate")

    with pytest.raises(HookAborted) as caught:
        manager.dispatch("pre_tool_call", call())
    assert caught.value.source == "gate.refuse"


def test_a_gate_judges_the_final_value(
    manager: HookManager, add: Add, call: Call, judged: list[Any]
) -> None:
    add("pre_tool_call", lambda ctx: {"final": 1}, trylast=True)

    manager.dispatch("pre_tool_call", call())

    assert judged == [("read_file", {"final": 1})]


def test_a_gate_judges_what_a_wrapper_returns(
    manager: HookManager, add: Add, call: Call, judged: list[Any]
) -> None:
    def around(ctx: Any) -> Any:
        yield
        return {"wrapped": 1}

    add("pre_tool_call", around, wrapper=True)
    manager.dispatch("pre_tool_call", call())

    assert judged == [("read_file", {"wrapped": 1})]


def test_a_gate_judges_what_a_scoped_hook_returns(
    manager: HookManager, one_hook: Callable[..., Any], call: Call, judged: list[Any]
) -> None:
    with manager.scope(one_hook("pre_tool_call", lambda ctx: {"scoped": 1})):
        manager.dispatch("pre_tool_call", call())

    assert judged == [("read_file", {"scoped": 1})]


def test_a_scoped_gate_judges_too(
    manager: HookManager, one_hook: Callable[..., Any], call: Call
) -> None:
    with (
        manager.scope(one_hook("pre_tool_call", refuse, gate=True)),
        pytest.raises(HookAborted),
    ):
        manager.dispatch("pre_tool_call", call())


def test_a_gate_is_not_asked_when_an_earlier_hook_aborts(
    manager: HookManager, add: Add, call: Call, judged: list[Any]
) -> None:
    add("pre_tool_call", lambda ctx: False)

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())
    assert judged == []


def test_what_a_gate_does_to_its_copy_has_no_effect(
    manager: HookManager, add: Add, call: Call
) -> None:
    def meddle(ctx: Any) -> None:
        ctx.payload["nested"]["edited"] = True
        ctx.payload = {"bound": True}
        ctx.tool_name = "other"
        ctx.agent = "root"
        ctx.attributes["x"] = 1

    add("pre_tool_call", meddle, gate=True)
    ctx = manager.dispatch("pre_tool_call", call(payload={"nested": {}}, attributes={"a": 1}))

    assert (ctx.payload, ctx.tool_name) == ({"nested": {}}, "read_file")
    assert (ctx.agent, ctx.attributes) == (None, {"a": 1})


def test_what_one_gate_does_to_its_copy_is_not_seen_by_the_next(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[Any] = []
    add("pre_tool_call", lambda ctx: ctx.payload.clear(), gate=True)
    add("pre_tool_call", lambda ctx: seen.append(ctx.payload), gate=True)

    manager.dispatch("pre_tool_call", call(payload={"a": 1}))

    assert seen == [{"a": 1}]


@pytest.mark.parametrize("answer", [{"new": 1}, Replace({"new": 1}), True, "deny"])
def test_a_value_that_a_gate_returns_is_a_failure(
    manager: HookManager, add: Add, call: Call, answer: Any
) -> None:
    add("pre_tool_call", lambda ctx: answer, gate=True, name="gate")

    with pytest.raises(HookAborted, match="failed") as caught:
        manager.dispatch("pre_tool_call", call())
    assert caught.value.source == "gate"


def test_false_from_a_gate_is_an_abort(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", lambda ctx: False, gate=True)

    with pytest.raises(HookAborted, match="returned False"):
        manager.dispatch("pre_tool_call", call())


def test_a_payload_that_cannot_be_copied_is_denied(
    manager: HookManager, call: Call, judged: list[Any], events: Events
) -> None:
    with pytest.raises(HookAborted, match="cannot be copied"):
        manager.dispatch("pre_tool_call", call(payload={"lock": threading.Lock()}))

    assert judged == []
    assert (events[0].outcome, events[0].error_count) == ("aborted", 1)


def test_gates_are_resolved_again_on_the_final_tool_name(
    manager: HookManager, add: Add, call: Call
) -> None:
    def rename(ctx: Any) -> None:
        ctx.tool_name = "delete_file"

    add("pre_tool_call", rename, tools=["read_*"])
    add("pre_tool_call", refuse, gate=True, tools=["delete_*"])

    for _ in range(2):
        with pytest.raises(HookAborted, match="no"):
            manager.dispatch("pre_tool_call", call("read_file"))


def test_a_gate_for_the_old_name_does_not_judge_the_new_one(
    manager: HookManager, add: Add, call: Call
) -> None:
    def rename(ctx: Any) -> None:
        ctx.tool_name = "list_files"

    add("pre_tool_call", rename)
    add("pre_tool_call", refuse, gate=True, tools=["read_*"])

    assert manager.dispatch("pre_tool_call", call("read_file")).tool_name == "list_files"


def test_a_scoped_gate_is_resolved_again_on_the_final_tool_name(
    manager: HookManager, add: Add, one_hook: Callable[..., Any], call: Call
) -> None:
    def rename(ctx: Any) -> None:
        ctx.tool_name = "delete_file"

    add("pre_tool_call", rename)
    gate = one_hook("pre_tool_call", refuse, gate=True, tools=["delete_*"])

    with manager.scope(gate), pytest.raises(HookAborted, match="no"):
        manager.dispatch("pre_tool_call", call("read_file"))
