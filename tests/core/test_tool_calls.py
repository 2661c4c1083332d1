"""The boundary of a tool call: pre settles first, wraps enclose the body, post looks at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookManager, RegistrationError, Replace, ToolCallContext

from .tool_ends import Ends

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


def test_the_points_come_in_order(manager: HookManager, add: Add) -> None:
    order: list[str] = []

    def around(ctx: Any, call_next: Any) -> Iterator[Any]:
        order.append("wrap in")
        yield
        order.append("wrap out")

    for point in ("tool_finished", "post_tool_call", "pre_tool_call"):
        add(point, lambda ctx: order.append(str(ctx.point)))
    add("wrap_tool_call", around)
    manager.call_tool("x", {}, lambda arguments: order.append("body"))

    expected = ["pre_tool_call", "wrap in", "body", "wrap out", "post_tool_call", "tool_finished"]
    assert order == expected


def test_without_hooks_the_tool_is_called_with_its_arguments(manager: HookManager) -> None:
    assert manager.call_tool("x", {"a": 1}, lambda arguments: arguments["a"] + 1) == 2


def test_the_tool_gets_what_pre_made_of_the_arguments(manager: HookManager, add: Add) -> None:
    add("pre_tool_call", lambda ctx: {**ctx.payload, "b": 2})

    assert manager.call_tool("x", {"a": 1}, dict) == {"a": 1, "b": 2}


def test_a_wrap_may_pass_on_other_arguments(manager: HookManager, add: Add) -> None:
    def around(ctx: Any, call_next: Any) -> Iterator[Any]:
        yield {"b": 2}

    add("wrap_tool_call", around)

    assert manager.call_tool("x", {"a": 1}, dict) == {"b": 2}


def test_a_result_may_be_replaced_by_false(manager: HookManager, add: Add) -> None:
    add("post_tool_call", lambda ctx: False)

    assert manager.call_tool("x", {}, lambda arguments: True) is False


def test_post_sees_result_input_and_duration_and_may_replace_the_result(
    manager: HookManager, add: Add
) -> None:
    seen: list[Any] = []

    def post(ctx: Any) -> str:
        seen.append((ctx.tool_result, ctx.tool_input, ctx.error, ctx.duration_ms >= 0))
        return "redacted"

    add("post_tool_call", post)

    assert manager.call_tool("x", {"a": 1}, lambda arguments: "secret") == "redacted"
    assert seen == [("secret", {"a": 1}, None, True)]


def test_post_sees_the_bodys_error_and_it_is_raised_again(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    error = ZeroDivisionError()

    def body(arguments: Any) -> None:
        raise error

    add("post_tool_call", lambda ctx: seen.append((ctx.error, ctx.tool_result)))

    with pytest.raises(ZeroDivisionError) as caught:
        manager.call_tool("x", {}, body)
    assert caught.value is error
    assert seen == [(error, None)]


def test_a_post_hook_that_replaces_turns_the_error_into_a_value(
    manager: HookManager, add: Add, watch: Ends
) -> None:
    add("post_tool_call", lambda ctx: "sorry" if ctx.error else None)

    assert manager.call_tool("x", {}, lambda arguments: 1 / 0) == "sorry"
    assert watch.ends == [("ok", True, "sorry")]


def test_a_post_hook_may_turn_the_error_into_none(manager: HookManager, add: Add) -> None:
    add("post_tool_call", lambda ctx: Replace(None))

    assert manager.call_tool("x", {}, lambda arguments: 1 / 0) is None


@pytest.mark.parametrize("sync", [True, False])
def test_post_sees_a_stop_iteration_of_the_body_as_an_error(
    manager: HookManager, add: Add, watch: Ends, *, sync: bool
) -> None:
    add("post_tool_call", lambda ctx: type(ctx.error).__name__)

    assert dispatch_either(manager, lambda arguments: next(iter([])), sync=sync) == "RuntimeError"
    assert watch.ends == [("ok", True, "RuntimeError")]


def test_a_wrap_may_turn_the_error_into_a_value(
    manager: HookManager, add: Add, watch: Ends
) -> None:
    def around(ctx: Any, call_next: Any) -> Any:
        try:
            yield
        except ZeroDivisionError:
            return "sorry"

    add("wrap_tool_call", around)

    assert manager.call_tool("x", {}, lambda arguments: 1 / 0) == "sorry"
    assert watch.ends == [("ok", True, "sorry")]


def test_a_wrap_that_answers_itself_never_enters_the_body(
    manager: HookManager, add: Add, watch: Ends
) -> None:
    def around(ctx: Any, call_next: Any) -> Any:
        return "cached"
        yield

    add("wrap_tool_call", around)
    ran: list[Any] = []

    assert manager.call_tool("x", {}, ran.append) == "cached"
    assert (ran, watch.ends) == ([], [("ok", False, "cached")])


def test_the_context_has_the_fields_of_the_call(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    tool = object()
    add(
        "pre_tool_call",
        lambda ctx: seen.append((ctx.agent, ctx.run_id, ctx.call_id, ctx.tool, ctx.attributes)),
    )

    manager.call_tool(
        "x",
        {},
        lambda arguments: None,
        agent="ops",
        run_id="r",
        call_id="c",
        tool=tool,
        attributes={"crew": "a"},
    )

    assert seen == [("ops", "r", "c", tool, {"crew": "a"})]


def test_a_host_may_give_a_context_of_its_own(
    manager: HookManager, add: Add, call: Call, watch: Ends
) -> None:
    ctx = call("x", payload={"a": 1}, run_id="r")

    assert manager.call_tool(ctx, lambda arguments: arguments["a"]) == 1
    assert (ctx.status, ctx.entered, ctx.tool_result) == ("ok", True, 1)


def test_inside_a_run_a_call_has_the_runs_ids(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []
    add("pre_tool_call", lambda ctx: seen.append((ctx.run_id, ctx.agent)))

    with manager.run({}, run_id="r", agent="ops"):
        manager.call_tool("x", {}, lambda arguments: None)

    assert seen == [("r", "ops")]


def test_what_runs_the_tool_must_be_callable(manager: HookManager) -> None:
    with pytest.raises(TypeError, match="takes the function that runs the tool"):
        manager.call_tool("x", {}, None)


def test_an_async_wrap_is_refused_under_a_sync_call(
    manager: HookManager, add: Add, watch: Ends
) -> None:
    async def around(ctx: Any, call_next: Any) -> Any:
        return await call_next()

    add("wrap_tool_call", around)
    ran: list[Any] = []

    with pytest.raises(RegistrationError, match="without an event loop"):
        manager.call_tool("x", {}, ran.append)
    assert (ran, [end[0] for end in watch.ends]) == ([], ["error"])


@pytest.mark.usefixtures("no_leaks")
def test_an_awaitable_result_under_a_sync_call_is_an_error_and_passes_no_policy_by(
    manager: HookManager, watch: Ends
) -> None:
    async def body(arguments: Any) -> str:
        return "unjudged"

    with pytest.raises(TypeError, match="async twin"):
        manager.call_tool("x", {}, body)
    assert [end[0] for end in watch.ends] == ["error"]


def dispatch_either(manager: HookManager, body: Callable[[Any], Any], *, sync: bool) -> Any:
    if sync:
        return manager.call_tool("x", {}, body)
    return asyncio.run(manager.acall_tool("x", {}, body))
