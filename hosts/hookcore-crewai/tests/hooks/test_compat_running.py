"""Scopes, async hooks, hooks within hooks, threads, and what the events say."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, HookManager
from hookcore_crewai.hooks import InterceptionPoint, ToolCallHookContext, dispatch, register_hook
from hookcore_crewai.hooks.contexts import OutputContext, StepContext
from hookcore_crewai.hooks.dispatch import (
    _resolve_hooks,
    get_scoped_hooks,
    register_scoped,
    scoped_hooks,
)
from hookcore_crewai.hooks.llm_hooks import (
    model_call_hooks_already_dispatched,
    model_call_hooks_dispatched,
)
from hookcore_crewai.hooks.tool_hooks import run_after_tool_call_hooks, run_before_tool_call_hooks

P = InterceptionPoint


class Order(list[str]):
    """A list of what ran; ``order("a")`` is a hook that says so."""

    def __call__(self, name: str) -> Any:
        return lambda ctx: self.append(name)


@pytest.fixture
def order() -> Order:
    return Order()


def step() -> None:
    dispatch(P.PRE_STEP, StepContext())


# Scopes


def test_scoped_hooks_run_after_global_ones_and_leave_with_the_block(order: Order) -> None:
    with scoped_hooks():
        register_scoped(P.PRE_STEP, order("scoped"))
        register_hook(P.PRE_STEP, order("global"))
        step()
    step()
    assert order == ["global", "scoped", "global"]


def test_a_scope_may_begin_with_hooks(order: Order) -> None:
    given = {P.PRE_STEP: [order("given")]}
    with scoped_hooks(given) as held:
        assert held is given
        step()
    assert order == ["given"]


def test_nested_scopes_add_up(order: Order) -> None:
    with scoped_hooks({P.PRE_STEP: [order("outer")]}):
        with scoped_hooks({P.PRE_STEP: [order("inner")]}):
            step()
        step()
    assert order == ["outer", "inner", "outer"]


def test_the_dict_of_a_scope_shows_what_was_registered_and_may_be_edited(order: Order) -> None:
    hook = order("registered")
    with scoped_hooks() as held:
        register_scoped(P.PRE_STEP, hook)
        assert held[P.PRE_STEP] == [hook]
        held.setdefault(P.POST_STEP, []).append(order("edited"))
        step()
        dispatch(P.POST_STEP, StepContext())
    assert order == ["registered", "edited"]


def test_get_scoped_hooks_lists_them_and_resolve_puts_them_last(order: Order) -> None:
    first, last = order("global"), order("scoped")
    register_hook(P.PRE_STEP, first)
    with scoped_hooks({P.PRE_STEP: [last]}):
        assert get_scoped_hooks(P.PRE_STEP) == [last]
        assert _resolve_hooks(P.PRE_STEP) == [first, last]
    assert get_scoped_hooks(P.PRE_STEP) == []


def test_registering_outside_a_scope_is_an_error(order: Order) -> None:
    with pytest.raises(RuntimeError, match="scoped_hooks"):
        register_scoped(P.PRE_STEP, order("x"))


def test_a_scope_ends_when_its_block_raises(order: Order) -> None:
    with pytest.raises(KeyError), scoped_hooks({P.PRE_STEP: [order("scoped")]}):
        raise KeyError
    step()
    assert order == []


def test_what_a_task_registers_in_a_scope_stays_in_the_task(order: Order) -> None:
    async def worker(name: str) -> None:
        register_scoped(P.PRE_STEP, order(name))
        await asyncio.sleep(0)
        step()

    async def main() -> None:
        with scoped_hooks({P.PRE_STEP: [order("shared")]}):
            await asyncio.gather(worker("a"), worker("b"))

    asyncio.run(main())
    assert sorted(order) == ["a", "b", "shared", "shared"]


def test_a_thread_with_the_context_inherits_the_scope_and_a_plain_one_does_not(
    order: Order,
) -> None:
    with scoped_hooks({P.PRE_STEP: [order("scoped")]}):
        for target in (contextvars.copy_context().run, lambda call: call()):
            thread = threading.Thread(target=target, args=(step,))
            thread.start()
            thread.join()
    assert order == ["scoped"]


# Async hooks


def test_an_async_hook_can_deny() -> None:
    async def guard(ctx: Any) -> None:
        await asyncio.sleep(0)
        raise HookAborted("no")

    register_hook(P.PRE_TOOL_CALL, guard)
    assert run_before_tool_call_hooks(ToolCallHookContext("t", {}, None)) is True


def test_an_async_hook_can_block_with_false() -> None:
    async def guard(ctx: Any) -> bool:
        return False

    register_hook(P.PRE_TOOL_CALL, guard)
    assert run_before_tool_call_hooks(ToolCallHookContext("t", {}, None)) is True


def test_an_async_hooks_value_replaces_and_never_its_coroutine() -> None:
    async def replace(ctx: Any) -> str:
        return "new"

    register_hook(P.OUTPUT, replace)
    assert dispatch(P.OUTPUT, OutputContext(payload="old")).payload == "new"


def test_an_async_hook_runs_under_a_running_loop_too() -> None:
    async def replace(ctx: Any) -> str:
        await asyncio.sleep(0)
        return "new"

    async def main() -> Any:
        return dispatch(P.OUTPUT, OutputContext(payload="old")).payload

    register_hook(P.OUTPUT, replace)
    assert asyncio.run(main()) == "new"


def test_an_async_hook_works_on_a_context_of_the_callers_own() -> None:
    class Plain:
        payload: Any = "old"

    async def replace(ctx: Any) -> str:
        await asyncio.sleep(0)
        ctx.seen = True
        return "new"

    register_hook(P.OUTPUT, replace)
    ctx: Any = dispatch(P.OUTPUT, Plain())
    assert (ctx.payload, ctx.seen) == ("new", True)


# Hooks within hooks


def test_a_hook_is_not_entered_again_by_a_dispatch_that_it_causes(order: Order) -> None:
    def judge(ctx: Any) -> None:
        order.append("judge")
        step()

    register_hook(P.PRE_STEP, judge)
    register_hook(P.PRE_STEP, order("other"))
    step()
    assert order == ["judge", "other", "other"]


# The marker of the executor


def test_the_marker_holds_inside_its_block_only() -> None:
    assert model_call_hooks_already_dispatched() is False
    with model_call_hooks_dispatched():
        assert model_call_hooks_already_dispatched() is True
    assert model_call_hooks_already_dispatched() is False


# Events


def test_a_point_without_hooks_yields_no_event(events: list[HookDispatchedEvent]) -> None:
    step()
    assert events == []


def test_a_replacement_is_reported_as_modified(events: list[HookDispatchedEvent]) -> None:
    register_hook(P.PRE_STEP, lambda ctx: "new")
    step()
    assert [(event.outcome, event.hook_count) for event in events] == [("modified", 1)]


def test_returning_the_same_object_is_reported_as_modified(
    events: list[HookDispatchedEvent],
) -> None:
    register_hook(P.PRE_STEP, lambda ctx: ctx.payload)
    dispatch(P.PRE_STEP, StepContext(payload={"a": 1}))
    assert events[0].outcome == "modified"


def test_an_edit_in_place_is_reported_as_proceeded(events: list[HookDispatchedEvent]) -> None:
    register_hook(P.PRE_TOOL_CALL, lambda ctx: ctx.tool_input.update(b=1))
    run_before_tool_call_hooks(ToolCallHookContext("t", {}, None))
    assert events[0].outcome == "proceeded"


def test_an_edit_in_place_is_seen_by_a_manager_that_tracks_them(
    manager: HookManager, events: list[HookDispatchedEvent]
) -> None:
    manager.tracks_mutations = True
    register_hook(P.PRE_TOOL_CALL, lambda ctx: ctx.tool_input.update(b=1))
    run_before_tool_call_hooks(ToolCallHookContext("t", {}, None))
    assert events[0].outcome == "modified"


def test_the_event_tells_what_was_denied_and_by_whom(events: list[HookDispatchedEvent]) -> None:
    def guard(ctx: Any) -> None:
        raise HookAborted("too risky")

    class Agent:
        role = "Worker"

    register_hook(P.PRE_TOOL_CALL, guard)
    run_before_tool_call_hooks(ToolCallHookContext("rm", {}, None, Agent()))
    event = events[0]
    assert (event.outcome, event.abort_reason, event.abort_source) == (
        "aborted",
        "too risky",
        "guard",
    )
    assert (event.agent, event.tool) == ("Worker", "rm")


# What a denial says to the model


def denied_result(message: str | None, name: str = "rm") -> Any:
    def guard(ctx: Any) -> None:
        raise HookAborted("secret reason", message=message)

    register_hook(P.PRE_TOOL_CALL, guard)
    arguments: dict[str, Any] = {}
    assert run_before_tool_call_hooks(ToolCallHookContext("rm", arguments, None)) is True
    text = f"Tool execution blocked by hook. Tool: {name}"
    after = ToolCallHookContext(name, arguments, None, tool_result=text, raw_tool_result=text)
    return run_after_tool_call_hooks(after)


def test_the_message_of_a_denial_takes_the_place_of_the_blocked_result() -> None:
    assert denied_result("Ask an admin for that.") == "Ask an admin for that."


def test_a_denial_without_a_message_leaves_crewais_words() -> None:
    assert denied_result(None) == "Tool execution blocked by hook. Tool: rm"


def test_a_denials_message_never_shows_at_another_call() -> None:
    assert denied_result("No.", name="read").endswith("Tool: read")


def test_hooks_after_the_call_see_the_message(order: Order) -> None:
    register_hook(P.POST_TOOL_CALL, lambda ctx: order.append(ctx.tool_result))
    denied_result("No.")
    assert order == ["No."]
