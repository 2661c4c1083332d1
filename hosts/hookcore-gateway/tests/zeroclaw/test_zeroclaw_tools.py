"""Tool calls: ids, and exactly one end for each that was begun."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookAborted, ToolCallContext, hookimpl
from hookcore_gateway.zeroclaw import (
    Cancel,
    Continue,
    HookHandler,
    HookResult,
    HookRunner,
    ToolCallHookContext,
    ToolResult,
)

from .pairing import Pairing

OK = ToolResult(success=True, output="fine")


class Legacy(HookHandler):
    """Has the older methods only."""

    def __init__(self) -> None:
        self.log: list[tuple[Any, ...]] = []

    def name(self) -> str:
        return "legacy"

    async def before_tool_call(self, name: str, args: dict[str, Any]) -> HookResult[Any]:
        self.log.append(("before", name, args))
        return Continue((name, args))

    async def on_after_tool_call(self, tool: str, result: ToolResult, duration: float) -> None:
        self.log.append(("after", tool, result, duration))


# Contexts


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(0, 9), st.integers(0, 9)),
        unique=True,
        min_size=2,
    )
)
def test_contexts_of_different_places_differ(places: list[tuple[str, int, int]]) -> None:
    ids = {ToolCallHookContext.of_call(*place).invocation_id for place in places}
    assert len(ids) == len(places)


def test_a_context_names_turn_iteration_and_call() -> None:
    context = ToolCallHookContext.of_call("t1", 2, 3)
    assert (context.invocation_id, context.correlated) == ("t1:2:3", True)


def test_an_uncorrelated_context_says_so() -> None:
    assert not ToolCallHookContext.uncorrelated("x").correlated
    assert ToolCallHookContext.new("x").correlated


# The runner's methods


@pytest.mark.asyncio
async def test_dispatch_with_context_calls_the_older_methods_in_order(runner: HookRunner) -> None:
    legacy = Legacy()
    runner.register(legacy)
    context = ToolCallHookContext.new("c1")
    await runner.run_before_tool_call_with_context(context, "shell", {"a": 1})
    await runner.fire_after_tool_call_with_context(context, "shell", OK, 0.5)
    assert legacy.log == [("before", "shell", {"a": 1}), ("after", "shell", OK, 0.5)]


@pytest.mark.asyncio
async def test_a_call_keeps_its_context_to_its_end(runner: HookRunner) -> None:
    pairing, context = Pairing(), ToolCallHookContext.new("c1")
    runner.register(pairing)
    await runner.run_before_tool_call_with_context(context, "shell", {"a": 1})
    await runner.fire_after_tool_call_with_context_and_args(context, "shell", {"a": 2}, OK, 0.5)
    assert pairing.contexts == [context, context]
    assert pairing.log == [("before", "shell"), ("after", "shell", {"a": 2}, True)]


@pytest.mark.asyncio
async def test_a_call_whose_end_is_told_without_its_arguments_has_its_end(
    runner: HookRunner,
) -> None:
    class Pairs(HookHandler):
        def __init__(self) -> None:
            self.open: dict[str, Any] = {}
            self.args: list[Any] = []

        def name(self) -> str:
            return "pairs"

        async def before_tool_call_with_context(
            self, context: ToolCallHookContext, name: str, args: dict[str, Any]
        ) -> HookResult[Any]:
            self.open[context.invocation_id] = name
            return Continue((name, args))

        async def on_after_tool_call_with_context_and_args(
            self, context: ToolCallHookContext, tool: str, args: Any, result: Any, duration: float
        ) -> None:
            del self.open[context.invocation_id]
            self.args.append(args)

    pairs = Pairs()
    runner.register(pairs)
    context = ToolCallHookContext.new("t:1:1")
    await runner.run_before_tool_call_with_context(context, "add", {"a": 1})
    await runner.fire_after_tool_call_with_context(context, "add", OK, 0.01)
    assert (pairs.open, pairs.args) == ({}, [None])


@pytest.mark.asyncio
async def test_a_call_can_be_abandoned(runner: HookRunner) -> None:
    pairing, context = Pairing(), ToolCallHookContext.new("c1")
    runner.register(pairing)
    await runner.run_before_tool_call_with_context(context, "shell", {})
    await runner.fire_tool_call_abandoned(context, "shell")
    assert pairing.contexts == [context, context]
    assert pairing.words == ["before", "abandoned"]


@pytest.mark.asyncio
async def test_the_older_runner_methods_give_uncorrelated_ids_that_differ(
    runner: HookRunner,
) -> None:
    class Contexts(Pairing):
        async def on_after_tool_call_with_context(
            self, context: ToolCallHookContext, tool: str, result: ToolResult, duration: float
        ) -> None:
            self.contexts.append(context)

    handler = Contexts()
    runner.register(handler)
    await runner.run_before_tool_call("shell", {})
    await runner.fire_after_tool_call("shell", OK, 0.5)
    before, after = handler.contexts
    assert (before.correlated, after.correlated) == (False, False)
    assert before.invocation_id != after.invocation_id


@pytest.mark.asyncio
async def test_uncorrelated_ids_are_unique_across_runners() -> None:
    ids = []
    for _ in range(3):
        runner, pairing = HookRunner(), Pairing()
        runner.register(pairing)
        await runner.run_before_tool_call("shell", {})
        ids += [context.invocation_id for context in pairing.contexts]
    assert len(set(ids)) == 3


@pytest.mark.asyncio
async def test_a_failing_after_handler_does_not_stop_the_next(
    runner: HookRunner, make_handler: Callable[..., HookHandler]
) -> None:
    async def fail(*args: Any) -> None:
        raise RuntimeError("boom")

    legacy = Legacy()
    runner.register(make_handler("fail", 10, on_after_tool_call=fail))
    runner.register(legacy)
    await runner.fire_after_tool_call("shell", OK, 0.5)
    assert legacy.log == [("after", "shell", OK, 0.5)]


@pytest.mark.asyncio
async def test_a_failing_abandoned_handler_does_not_stop_the_next(
    runner: HookRunner, make_handler: Callable[..., HookHandler]
) -> None:
    async def fail(*args: Any) -> None:
        raise RuntimeError("boom")

    pairing = Pairing()
    runner.register(make_handler("fail", 20, on_tool_call_abandoned=fail))
    runner.register(pairing)
    await runner.fire_tool_call_abandoned(ToolCallHookContext.new("c1"), "shell")
    assert pairing.words == ["abandoned"]


@pytest.mark.asyncio
async def test_arguments_that_are_no_dict_are_refused(runner: HookRunner) -> None:
    with pytest.raises(TypeError, match="shell"):
        await runner.run_before_tool_call("shell", ["rm"])  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_a_counter_and_a_blocker_work_together(
    runner: HookRunner, make_handler: Callable[..., HookHandler]
) -> None:
    counts: dict[str, int] = {}

    async def started(host: str, port: int) -> None:
        counts["gateway_start"] = counts.get("gateway_start", 0) + 1

    async def after(tool: str, result: ToolResult, duration: float) -> None:
        counts["after"] = counts.get("after", 0) + 1

    async def block(name: str, args: dict[str, Any]) -> HookResult[Any]:
        return Cancel("blocked") if name == "dangerous" else Continue((name, args))

    runner.register(make_handler("counter", on_gateway_start=started, on_after_tool_call=after))
    runner.register(make_handler("blocker", 100, before_tool_call=block))
    await runner.fire_gateway_start("127.0.0.1", 8080)
    assert not (await runner.run_before_tool_call("safe_tool", {})).is_cancel()
    assert (await runner.run_before_tool_call("dangerous", {})).is_cancel()
    await runner.fire_after_tool_call("safe_tool", OK, 0.1)
    assert counts == {"gateway_start": 1, "after": 1}


# Through the boundary of a host


@pytest.mark.asyncio
async def test_an_executed_call_has_one_before_and_one_after(runner: HookRunner) -> None:
    pairing = Pairing()
    runner.register(pairing)
    await runner.manager.acall_tool("add", {"a": 1}, lambda given: given["a"] + 1)
    assert pairing.log == [("before", "add"), ("after", "add", {"a": 1}, True)]


@pytest.mark.asyncio
async def test_both_ends_of_a_hosts_call_have_one_id(runner: HookRunner) -> None:
    pairing = Pairing()
    runner.register(pairing)
    for _ in range(2):
        await runner.manager.acall_tool("add", {}, lambda given: 1, call_id="c1", run_id="r1")
    first, second, third, fourth = pairing.contexts
    assert (first, third) == (second, fourth)
    assert first.correlated
    assert first.invocation_id != third.invocation_id


@pytest.mark.asyncio
async def test_after_tells_the_arguments_that_the_tool_got(
    runner: HookRunner, make_handler: Callable[..., HookHandler]
) -> None:
    async def edit(name: str, args: dict[str, Any]) -> HookResult[Any]:
        return Continue((name, {"a": 5}))

    pairing = Pairing()
    runner.register(pairing)
    runner.register(make_handler("edit", 0, before_tool_call=edit))
    got = await runner.manager.acall_tool("add", {"a": 1}, lambda given: given["a"])
    assert got == 5
    assert pairing.log[-1] == ("after", "add", {"a": 5}, True)


@pytest.mark.asyncio
async def test_a_cancelled_call_is_abandoned_and_never_runs(runner: HookRunner) -> None:
    pairing = Pairing(Cancel("no"))
    runner.register(pairing)
    ran: list[Any] = []
    with pytest.raises(HookAborted) as denial:
        await runner.manager.acall_tool("rm", {}, ran.append)
    assert (pairing.words, ran) == (["before", "abandoned"], [])
    assert (denial.value.source, denial.value.reason) == ("pairing", "no")
    assert denial.value.message != "no"


@pytest.mark.asyncio
async def test_a_call_that_a_later_gate_denies_is_abandoned(runner: HookRunner) -> None:
    class Approval:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: Any) -> bool:
            return False

    pairing = Pairing()
    runner.register(pairing)
    runner.manager.register(Approval())
    with pytest.raises(HookAborted):
        await runner.manager.acall_tool("rm", {}, lambda given: None)
    assert pairing.words == ["before", "abandoned"]


@pytest.mark.asyncio
async def test_a_tool_that_raises_was_executed_without_success(runner: HookRunner) -> None:
    seen: list[ToolResult] = []

    class Results(Legacy):
        async def on_after_tool_call(self, tool: str, result: ToolResult, duration: float) -> None:
            seen.append(result)

    def tool(given: dict[str, Any]) -> None:
        raise ValueError("bad day")

    runner.register(Results())
    with pytest.raises(ValueError, match="bad day"):
        await runner.manager.acall_tool("t", {}, tool)
    assert seen == [ToolResult(success=False, output="", error="ValueError: bad day")]


@pytest.mark.asyncio
async def test_a_call_that_is_given_up_while_it_runs_is_abandoned_and_the_runner_goes_on(
    runner: HookRunner,
) -> None:
    pairing = Pairing()
    runner.register(pairing)
    entered = asyncio.Event()

    async def slow(given: dict[str, Any]) -> None:
        entered.set()
        await asyncio.sleep(30)

    task = asyncio.ensure_future(runner.manager.acall_tool("slow", {}, slow))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert pairing.words == ["before", "abandoned"]
    await runner.manager.acall_tool("add", {}, lambda given: 1)
    assert pairing.words[2:] == ["before", "after"]


@pytest.mark.asyncio
async def test_calls_that_end_in_another_order_keep_their_ids_and_arguments(
    runner: HookRunner,
) -> None:
    pairing = Pairing()
    runner.register(pairing)
    gates = {1: asyncio.Event(), 2: asyncio.Event()}

    async def wait(given: dict[str, Any]) -> int:
        await gates[given["n"]].wait()
        return int(given["n"])

    calls = [asyncio.ensure_future(runner.manager.acall_tool("t", {"n": n}, wait)) for n in (1, 2)]
    await asyncio.sleep(0)
    gates[2].set()
    await calls[1]
    gates[1].set()
    await calls[0]
    one, two, end_of_two, end_of_one = pairing.contexts
    assert (end_of_two, end_of_one) == (two, one)
    assert [entry[2] for entry in pairing.log[2:]] == [{"n": 2}, {"n": 1}]


@pytest.mark.asyncio
async def test_in_a_batch_that_is_given_up_each_call_that_was_begun_is_abandoned_once(
    runner: HookRunner,
) -> None:
    pairing, both = Pairing(), asyncio.Event()
    runner.register(pairing)
    running: list[Any] = []

    async def wait(given: dict[str, Any]) -> None:
        running.append(given)
        if len(running) == 2:
            both.set()
        await asyncio.sleep(30)

    async def batch() -> None:
        await asyncio.gather(*(runner.manager.acall_tool(name, {}, wait) for name in "ab"))
        await runner.manager.acall_tool("unvisited", {}, wait)

    task = asyncio.ensure_future(batch())
    await both.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(pairing.log) == [
        ("abandoned", "a"),
        ("abandoned", "b"),
        ("before", "a"),
        ("before", "b"),
    ]


@given(st.lists(st.sampled_from(["ok", "raise", "cancel", "deny"]), max_size=6))
def test_whatever_happens_each_call_that_was_begun_has_one_end_with_its_id(
    outcomes: list[str],
) -> None:
    class Mixed(Pairing):
        async def before_tool_call_with_context(
            self, context: ToolCallHookContext, name: str, args: dict[str, Any]
        ) -> HookResult[Any]:
            self.answer = Cancel("no") if name == "cancel" else None
            return await super().before_tool_call_with_context(context, name, args)

    class Denying:
        @hookimpl(tools=["deny"])
        def post_tool_call(self, ctx: Any) -> None:
            raise HookAborted("withheld")

    def tool(given: dict[str, Any]) -> None:
        if given["outcome"] == "raise":
            raise ValueError

    runner, pairing = HookRunner(), Mixed()
    runner.register(pairing)
    runner.manager.register(Denying())
    for outcome in outcomes:
        with suppress(HookAborted, ValueError):
            runner.manager.call_tool(outcome, {"outcome": outcome}, tool, run_id="r", call_id="c")
    runner.manager.close()
    ends = {"ok": "after", "raise": "after", "cancel": "abandoned", "deny": "abandoned"}
    assert pairing.words == [word for outcome in outcomes for word in ("before", ends[outcome])]
    assert pairing.contexts[::2] == pairing.contexts[1::2]
    assert len(set(pairing.contexts)) == len(outcomes)


@pytest.mark.asyncio
async def test_calls_that_share_their_hosts_attributes_have_ids_of_their_own(
    runner: HookRunner,
) -> None:
    pairing, attributes = Pairing(), {"tenant": "x"}
    runner.register(pairing)
    for _ in range(2):
        ctx = ToolCallContext(tool_name="t", payload={}, attributes=attributes)
        await runner.manager.acall_tool(ctx, lambda given: 1)
    assert len(set(pairing.contexts)) == 2
    assert attributes == {"tenant": "x"}


@pytest.mark.asyncio
async def test_a_result_that_is_no_text_is_given_as_json(runner: HookRunner) -> None:
    legacy = Legacy()
    runner.register(legacy)
    await runner.manager.acall_tool("t", {}, lambda given: {"n": 1})
    assert legacy.log[-1][2] == ToolResult(success=True, output='{"n": 1}')


def test_handlers_work_under_a_sync_host(runner: HookRunner) -> None:
    pairing = Pairing()
    runner.register(pairing)
    assert runner.manager.call_tool("add", {}, lambda given: 1) == 1
    assert pairing.words == ["before", "after"]
