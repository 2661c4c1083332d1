"""The meaning of what a hook returns, point by point."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, UnknownPointError
from hookcore_crewai.hooks import (
    InterceptionPoint,
    LLMCallHookContext,
    ToolCallHookContext,
    dispatch,
    register_hook,
)
from hookcore_crewai.hooks.contexts import (
    ExecutionEndContext,
    ExecutionStartContext,
    InputContext,
    OutputContext,
    StepContext,
)
from hookcore_crewai.hooks.dispatch import run_hooks
from hookcore_crewai.hooks.llm_hooks import (
    LegacyHookBlocked,
    after_llm_call_reducer,
    before_llm_call_reducer,
)
from hookcore_crewai.hooks.tool_hooks import (
    after_tool_call_reducer,
    before_tool_call_reducer,
    run_after_tool_call_hooks,
    run_before_tool_call_hooks,
)

P = InterceptionPoint
BOUNDARIES: dict[InterceptionPoint, Any] = {
    P.EXECUTION_START: ExecutionStartContext,
    P.INPUT: InputContext,
    P.OUTPUT: OutputContext,
    P.EXECUTION_END: ExecutionEndContext,
    P.PRE_STEP: StepContext,
    P.POST_STEP: StepContext,
}
IGNORED_BEFORE_A_CALL: tuple[Any, ...] = (None, True, 0, "", "deny", {"a": 2}, [])


def tool_call(**more: Any) -> ToolCallHookContext:
    return ToolCallHookContext("delete_file", {"a": 1}, None, **more)


@pytest.mark.parametrize("value", [0, "", False, {}, "new", 7])
@pytest.mark.parametrize("point", BOUNDARIES)
def test_anything_but_none_replaces_the_payload_of_a_boundary_or_step(
    point: InterceptionPoint, value: Any
) -> None:
    register_hook(point, lambda ctx: value)
    ctx = BOUNDARIES[point](payload={"old": True})
    assert dispatch(point, ctx) is ctx
    assert (ctx.payload, type(ctx.payload)) == (value, type(value))


@pytest.mark.parametrize("point", BOUNDARIES)
def test_none_keeps_the_payload_of_a_boundary_or_step(point: InterceptionPoint) -> None:
    register_hook(point, lambda ctx: None)
    payload = {"old": True}
    assert dispatch(point, BOUNDARIES[point](payload=payload)).payload is payload


def test_each_hook_sees_what_the_one_before_it_made_of_the_payload() -> None:
    register_hook(P.OUTPUT, lambda ctx: ctx.payload + "b")
    register_hook(P.OUTPUT, lambda ctx: ctx.payload + "c")
    assert dispatch(P.OUTPUT, OutputContext(payload="a")).payload == "abc"


def test_a_replacement_that_came_before_an_abort_stays() -> None:
    def deny(ctx: Any) -> None:
        raise HookAborted("no")

    register_hook(P.INPUT, lambda ctx: {"id": 1})
    register_hook(P.INPUT, deny)
    ctx = InputContext(payload={})
    with pytest.raises(HookAborted):
        dispatch(P.INPUT, ctx)
    assert ctx.payload == {"id": 1}


@pytest.mark.parametrize("value", IGNORED_BEFORE_A_CALL)
def test_before_a_tool_call_only_false_means_something(value: Any) -> None:
    register_hook(P.PRE_TOOL_CALL, lambda ctx: value)
    ctx = tool_call()
    assert run_before_tool_call_hooks(ctx) is False
    assert ctx.tool_input == {"a": 1}


@pytest.mark.parametrize("value", IGNORED_BEFORE_A_CALL)
def test_before_a_model_call_only_false_means_something(value: Any) -> None:
    register_hook(P.PRE_MODEL_CALL, lambda ctx: value)
    messages = [{"role": "user", "content": "hi"}]
    ctx = LLMCallHookContext(messages=messages)
    dispatch(P.PRE_MODEL_CALL, ctx, reducer=before_llm_call_reducer)
    assert ctx.messages is messages


def test_false_before_a_tool_call_blocks_it() -> None:
    register_hook(P.PRE_TOOL_CALL, lambda ctx: False)
    assert run_before_tool_call_hooks(tool_call()) is True


def test_false_before_a_model_call_blocks_it_in_a_way_callers_can_tell() -> None:
    register_hook(P.PRE_MODEL_CALL, lambda ctx: False)
    with pytest.raises(LegacyHookBlocked, match="returned False"):
        dispatch(P.PRE_MODEL_CALL, LLMCallHookContext(messages=[]), reducer=before_llm_call_reducer)


def test_a_block_keeps_later_hooks_from_running() -> None:
    ran: list[int] = []
    register_hook(P.PRE_TOOL_CALL, lambda ctx: False)
    register_hook(P.PRE_TOOL_CALL, lambda ctx: ran.append(1))
    run_before_tool_call_hooks(tool_call())
    assert ran == []


def test_hook_aborted_blocks_a_tool_call() -> None:
    def deny(ctx: Any) -> None:
        raise HookAborted("no")

    register_hook(P.PRE_TOOL_CALL, deny)
    assert run_before_tool_call_hooks(tool_call()) is True


def test_hook_aborted_after_a_tool_call_stops_the_run() -> None:
    def deny(ctx: Any) -> None:
        raise HookAborted("no")

    register_hook(P.POST_TOOL_CALL, deny)
    with pytest.raises(HookAborted):
        run_after_tool_call_hooks(tool_call(tool_result="x"))


@pytest.mark.parametrize("value", ["new", ""])
def test_a_text_replaces_the_result_of_a_tool_call(value: str) -> None:
    register_hook(P.POST_TOOL_CALL, lambda ctx: value)
    assert run_after_tool_call_hooks(tool_call(tool_result="old")) == value


@pytest.mark.parametrize("value", [False, 0, {}, b"bytes", ["list"]])
def test_what_is_no_text_does_not_replace_the_result_of_a_tool_call(value: Any) -> None:
    register_hook(P.POST_TOOL_CALL, lambda ctx: value)
    assert run_after_tool_call_hooks(tool_call(tool_result="old")) == "old"


def test_a_result_that_a_hook_assigns_may_be_of_any_type() -> None:
    def assign(ctx: Any) -> None:
        ctx.tool_result = {"a": 1}

    register_hook(P.POST_TOOL_CALL, assign)
    assert run_after_tool_call_hooks(tool_call(tool_result="old")) == {"a": 1}


def test_the_raw_result_stays_what_the_tool_returned() -> None:
    register_hook(P.POST_TOOL_CALL, lambda ctx: "new")
    ctx = tool_call(tool_result="old", raw_tool_result={"raw": 1})
    run_after_tool_call_hooks(ctx)
    assert ctx.raw_tool_result == {"raw": 1}


@pytest.mark.parametrize("value", ["new", ""])
def test_a_text_replaces_the_response_of_a_model(value: str) -> None:
    register_hook(P.POST_MODEL_CALL, lambda ctx: value)
    ctx = LLMCallHookContext(messages=[], response="old")
    dispatch(P.POST_MODEL_CALL, ctx, reducer=after_llm_call_reducer)
    assert ctx.response == value


@pytest.mark.parametrize("value", [False, 3, {"a": 1}])
def test_what_is_no_text_does_not_replace_the_response(value: Any) -> None:
    register_hook(P.POST_MODEL_CALL, lambda ctx: value)
    ctx = LLMCallHookContext(messages=[], response="old")
    dispatch(P.POST_MODEL_CALL, ctx, reducer=after_llm_call_reducer)
    assert ctx.response == "old"


def test_arguments_edited_in_place_are_the_hosts_own() -> None:
    def add(ctx: Any) -> None:
        ctx.tool_input["safe"] = True

    register_hook(P.PRE_TOOL_CALL, add)
    arguments = {"a": 1}
    run_before_tool_call_hooks(ToolCallHookContext("t", arguments, None))
    assert arguments == {"a": 1, "safe": True}


def test_arguments_that_a_hook_assigns_reach_the_hosts_own_dict() -> None:
    """CrewAI ignores the assignment; a policy that replaces must not be ignored."""

    def assign(ctx: Any) -> None:
        ctx.tool_input = {"b": 2}

    register_hook(P.PRE_TOOL_CALL, assign)
    arguments = {"a": 1}
    ctx = ToolCallHookContext("t", arguments, None)
    run_before_tool_call_hooks(ctx)
    assert arguments == {"b": 2}
    assert ctx.tool_input is arguments


def test_arguments_that_are_no_dict_are_put_back() -> None:
    def assign(ctx: Any) -> None:
        ctx.tool_input = "rm -rf"

    register_hook(P.PRE_TOOL_CALL, assign)
    ctx = tool_call()
    run_before_tool_call_hooks(ctx)
    assert ctx.tool_input == {"a": 1}


def test_the_inputs_follow_a_replaced_payload() -> None:
    register_hook(P.INPUT, lambda ctx: {"topic": "new"})
    ctx = InputContext(payload={"topic": "old"})
    assert dispatch(P.INPUT, ctx).inputs == {"topic": "new"}


def test_a_run_without_inputs_shows_hooks_an_empty_dict_and_the_host_none() -> None:
    seen: list[Any] = []
    register_hook(P.EXECUTION_START, lambda ctx: seen.append(ctx.payload))
    ctx = ExecutionStartContext(payload=None)
    dispatch(P.EXECUTION_START, ctx)
    assert (seen, ctx.payload) == ([{}], None)


def test_what_a_hook_puts_into_absent_inputs_arrives() -> None:
    def add(ctx: Any) -> None:
        ctx.payload["topic"] = "bees"

    register_hook(P.EXECUTION_START, add)
    ctx = dispatch(P.EXECUTION_START, ExecutionStartContext(payload=None))
    assert ctx.payload == {"topic": "bees"}


# Contexts and reducers of the caller's own


@dataclass
class Plain:
    payload: Any = None


def test_any_object_with_a_payload_is_a_context() -> None:
    register_hook(P.PRE_MODEL_CALL, lambda ctx: ctx.payload * 2)
    ctx = Plain("ab")
    assert dispatch(P.PRE_MODEL_CALL, ctx) is ctx
    assert ctx.payload == "abab"


def test_hooks_get_the_callers_own_object() -> None:
    seen: list[Any] = []
    register_hook(P.PRE_TOOL_CALL, seen.append)
    ctx = Plain()
    dispatch(P.PRE_TOOL_CALL, ctx)
    assert seen[0] is ctx


def test_without_a_payload_a_result_means_nothing(events: list[HookDispatchedEvent]) -> None:
    register_hook(P.POST_STEP, lambda ctx: "new")
    ctx = SimpleNamespace(other=1)
    dispatch(P.POST_STEP, ctx)
    assert (vars(ctx), events[0].outcome) == ({"other": 1}, "proceeded")


def test_a_reducer_of_the_callers_own_reads_every_answer() -> None:
    answers: list[Any] = []

    def reduce(ctx: Any, result: Any) -> bool:
        answers.append(result)
        return False

    register_hook(P.PRE_TOOL_CALL, lambda ctx: None)
    register_hook(P.PRE_TOOL_CALL, lambda ctx: "two")
    dispatch(P.PRE_TOOL_CALL, Plain(), reducer=reduce)
    assert answers == [None, "two"]


def test_an_error_in_a_reducer_is_the_hooks_failure() -> None:
    def reduce(ctx: Any, result: Any) -> bool:
        raise ValueError("bad answer")

    ran: list[int] = []
    register_hook(P.PRE_STEP, lambda ctx: ran.append(1))
    register_hook(P.PRE_STEP, lambda ctx: ran.append(2))
    dispatch(P.PRE_STEP, Plain(), reducer=reduce, verbose=False)
    assert ran == [1, 2]


def test_a_reducer_may_abort() -> None:
    def reduce(ctx: Any, result: Any) -> bool:
        raise HookAborted("read as a denial")

    def hook(ctx: Any) -> None: ...

    register_hook(P.PRE_STEP, hook)
    with pytest.raises(HookAborted) as caught:
        dispatch(P.PRE_STEP, Plain(), reducer=reduce)
    assert caught.value.source is hook


def test_call_contexts_are_not_replaced_by_the_default_reducer() -> None:
    register_hook(P.PRE_TOOL_CALL, lambda ctx: False)
    ctx = tool_call()
    dispatch(P.PRE_TOOL_CALL, ctx)
    assert ctx.tool_input == {"a": 1}


@pytest.mark.parametrize(
    ("reducer", "attribute"),
    [(after_llm_call_reducer, "response"), (after_tool_call_reducer, "tool_result")],
)
def test_the_reducers_after_a_call_take_texts(reducer: Any, attribute: str) -> None:
    ctx = SimpleNamespace(**{attribute: "old"})
    assert [reducer(ctx, None), reducer(ctx, 5), reducer(ctx, "")] == [False, False, True]
    assert getattr(ctx, attribute) == ""


@pytest.mark.parametrize(
    ("reducer", "error"),
    [(before_llm_call_reducer, LegacyHookBlocked), (before_tool_call_reducer, HookAborted)],
)
def test_the_reducers_before_a_call_take_false_for_a_block(reducer: Any, error: Any) -> None:
    assert reducer(None, 0) is False
    with pytest.raises(error):
        reducer(None, False)


# Lists of hooks


def test_run_hooks_runs_the_given_hooks_and_no_others() -> None:
    ran: list[str] = []
    register_hook(P.PRE_STEP, lambda ctx: ran.append("registered"))
    ctx = StepContext(payload="x")
    assert run_hooks(P.PRE_STEP, ctx, [lambda c: ran.append("given"), lambda c: "new"]) is ctx
    assert (ran, ctx.payload) == (["given"], "new")


def test_run_hooks_without_hooks_is_no_dispatch(events: list[HookDispatchedEvent]) -> None:
    ctx = StepContext()
    assert run_hooks(P.PRE_STEP, ctx, []) is ctx
    assert events == []


def test_run_hooks_yields_one_event(events: list[HookDispatchedEvent]) -> None:
    run_hooks(P.PRE_STEP, StepContext(), [lambda c: None, lambda c: None])
    assert [(event.interception_point, event.hook_count) for event in events] == [("pre_step", 2)]


def test_a_reducer_reads_as_it_does_whatever_the_point() -> None:
    register_hook(P.POST_TOOL_CALL, lambda ctx: False)
    with pytest.raises(HookAborted, match="returned False"):
        dispatch(P.POST_TOOL_CALL, tool_call(tool_result="r"), reducer=before_tool_call_reducer)
    register_hook(P.OUTPUT, lambda ctx: "new")
    ctx = OutputContext(payload="old")
    dispatch(P.OUTPUT, ctx, reducer=before_tool_call_reducer)
    assert ctx.payload == "old"


def test_without_a_reducer_a_boundary_context_is_replaced_at_any_point() -> None:
    register_hook(P.PRE_MODEL_CALL, lambda ctx: False)
    ctx = OutputContext(payload=1)
    dispatch(P.PRE_MODEL_CALL, ctx)
    assert ctx.payload is False


def test_without_a_reducer_an_answer_means_nothing_to_a_subclass_of_a_call_context() -> None:
    class Own(ToolCallHookContext):
        pass

    register_hook(P.PRE_TOOL_CALL, lambda ctx: {"b": 2})
    ctx = Own("t", {"a": 1}, None)
    dispatch(P.PRE_TOOL_CALL, ctx)
    assert ctx.tool_input == {"a": 1}


@pytest.mark.parametrize("point", ["pre_tool_cal", None])
def test_an_unknown_point_is_an_error(point: Any) -> None:
    with pytest.raises(UnknownPointError, match=f"no point {point}"):
        dispatch(point, tool_call())
