from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, hookimpl
from hookcore.hosting import arun_stream, current_run

pytestmark = pytest.mark.asyncio


async def three(run: Any) -> AsyncIterator[str]:
    for item in ("a", "b", "c"):
        await asyncio.sleep(0)
        yield item
    run.result = "abc"


async def drain(stream: AsyncIterator[Any], into: list[Any]) -> None:
    async for item in stream:
        into.append(item)  # noqa: PERF401 - what came before an error is wanted too


async def test_items_pass_as_they_come(manager: HookManager, ends: Any) -> None:
    stream = arun_stream(manager, three, run_id="r1")
    async with aclosing(stream):
        assert await anext(stream) == "a"
        assert ends.runs == []
        assert [item async for item in stream] == ["b", "c"]
    assert ends.runs == [("r1", "ok")]
    assert ends.results == ["abc"]


async def test_the_run_is_current_in_the_steps_and_never_in_the_consumer(
    manager: HookManager,
) -> None:
    seen = []

    async def steps(run: Any) -> AsyncIterator[int]:
        for number in range(2):
            seen.append(current_run().run_id)
            yield number

    async for _ in arun_stream(manager, steps, run_id="r1"):
        assert current_run().run_id is None
    assert seen == ["r1", "r1"]


async def test_interleaved_runs_are_not_each_others_parents(
    manager: HookManager, add: Callable[..., str]
) -> None:
    parents = []
    add("execution_start", lambda ctx: parents.append((ctx.run_id, ctx.parent_run_id)))
    first = arun_stream(manager, three, run_id="r1")
    second = arun_stream(manager, three, run_id="r2")
    for _ in range(3):
        await anext(first)
        await anext(second)
    await first.aclose()
    await second.aclose()
    assert parents == [("r1", None), ("r2", None)]
    assert current_run().run_id is None


async def test_a_run_in_a_step_is_its_sub_run(
    manager: HookManager, add: Callable[..., str]
) -> None:
    parents = []
    add("execution_start", lambda ctx: parents.append((ctx.run_id, ctx.parent_run_id)))

    async def outer(run: Any) -> AsyncIterator[str]:
        async for item in arun_stream(manager, three, run_id="inner"):
            yield item

    assert [item async for item in arun_stream(manager, outer, run_id="outer")] == ["a", "b", "c"]
    assert parents == [("outer", None), ("inner", "outer")]


async def test_a_stream_that_is_left_early_ends_its_run(manager: HookManager, ends: Any) -> None:
    closed = []

    async def endless(run: Any) -> AsyncIterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.append(current_run().run_id)

    async with aclosing(arun_stream(manager, endless, run_id="r1")) as stream:
        await anext(stream)
    assert ends.runs == [("r1", "cancelled")]
    assert closed == ["r1"]


async def test_a_stream_that_nobody_reads_begins_no_run(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    started: list[Any] = []
    add("execution_start", started.append)
    await arun_stream(manager, three).aclose()
    assert (started, ends.runs) == ([], [])


async def test_what_the_generator_raises_is_the_runs_error(manager: HookManager, ends: Any) -> None:
    async def broken(run: Any) -> AsyncIterator[str]:
        yield "a"
        raise LookupError("broken")

    got: list[str] = []
    with pytest.raises(LookupError):
        await drain(arun_stream(manager, broken, run_id="r1"), got)
    assert (got, ends.runs) == (["a"], [("r1", "error")])


async def test_a_cancelled_consumer_ends_the_run_as_cancelled(
    manager: HookManager, ends: Any
) -> None:
    entered = asyncio.Event()

    async def waiting(run: Any) -> AsyncIterator[str]:
        entered.set()
        await asyncio.Event().wait()
        yield "never"

    async def consume() -> None:
        async for _ in arun_stream(manager, waiting, run_id="r1"):
            pass

    task = asyncio.create_task(consume())
    await entered.wait()
    task.cancel()
    await asyncio.wait({task})
    assert ends.runs == [("r1", "cancelled")]


async def test_nothing_leaves_before_a_gate_has_judged_the_result(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    def gate(ctx: Any) -> None:
        raise HookAborted(f"no {ctx.payload}")

    add("output", gate, gate=True)
    got: list[str] = []
    with pytest.raises(HookAborted, match="no abc"):
        await drain(arun_stream(manager, three, run_id="r1"), got)
    assert (got, ends.runs) == ([], [("r1", "denied")])


async def test_held_items_leave_as_they_were_when_the_result_stays(
    manager: HookManager, add: Callable[..., str]
) -> None:
    add("output", lambda ctx: None, gate=True)
    assert [item async for item in arun_stream(manager, three)] == ["a", "b", "c"]


@pytest.mark.parametrize("events", [None, lambda result, held: [*held[:1], result]])
async def test_a_replaced_result_leaves_in_the_place_of_the_items(
    manager: HookManager, add: Callable[..., str], events: Any
) -> None:
    add("output", lambda ctx: ctx.payload.upper())
    got = [item async for item in arun_stream(manager, three, events=events)]
    assert got == (["ABC"] if events is None else ["a", "ABC"])


async def test_the_result_is_the_list_of_the_items_when_nobody_sets_it(
    manager: HookManager, add: Callable[..., str]
) -> None:
    async def plain(run: Any) -> AsyncIterator[int]:
        for number in range(4):
            yield number

    add("output", lambda ctx: [number for number in ctx.payload if number % 2])
    assert [item async for item in arun_stream(manager, plain)] == [1, 3]


async def test_items_that_were_judged_elsewhere_need_not_be_held(
    manager: HookManager, add: Callable[..., str]
) -> None:
    add("output", lambda ctx: ctx.payload.upper())
    assert [item async for item in arun_stream(manager, three, hold=False)] == ["a", "b", "c"]


async def test_a_hook_puts_a_value_in_the_place_of_an_error(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    async def broken(run: Any) -> AsyncIterator[str]:
        yield "a"
        raise LookupError("broken")

    add("post_run", lambda ctx: "sorry" if ctx.error else None)
    got = [item async for item in arun_stream(manager, broken, run_id="r1")]
    assert (got, ends.runs) == (["sorry"], [("r1", "ok")])


async def test_a_denied_run_never_makes_the_generator(
    manager: HookManager, add: Callable[..., str]
) -> None:
    made: list[Any] = []

    def deny(ctx: Any) -> None:
        raise HookAborted("not today")

    def make(run: Any) -> Any:
        made.append(run)
        return three(run)

    add("pre_run", deny, gate=True)
    with pytest.raises(HookAborted):
        await anext(arun_stream(manager, make))
    assert made == []


async def test_the_generator_reads_the_message_as_the_hooks_left_it(
    manager: HookManager, add: Callable[..., str]
) -> None:
    async def echo(run: Any) -> AsyncIterator[Any]:
        yield run.message
        yield run.inputs

    add("pre_run", lambda ctx: ctx.payload.upper())
    stream = arun_stream(manager, echo, {"topic": 1}, message="hello")
    assert [item async for item in stream] == ["HELLO", {"topic": 1}]


async def test_a_coroutine_may_give_the_iterator(manager: HookManager) -> None:
    async def make(run: Any) -> AsyncIterator[str]:
        await asyncio.sleep(0)
        return three(run)

    assert [item async for item in arun_stream(manager, make)] == ["a", "b", "c"]


async def test_a_scope_around_the_start_holds_in_the_steps(
    manager: HookManager, make_plugin: Callable[..., Any]
) -> None:
    def deny(ctx: Any) -> None:
        raise HookAborted("scoped")

    async def calls(run: Any) -> AsyncIterator[Any]:
        yield manager.call_tool("t", {}, lambda given: "ran", on_denied="return")

    with manager.scope(make_plugin("pre_tool_call", deny)):
        stream = arun_stream(manager, calls)
    assert [item.reason async for item in stream] == ["scoped"]


STEPS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["next", "close"])), max_size=25)


@settings(
    max_examples=settings().max_examples // 2,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(STEPS, st.integers(0, 4))
async def test_however_runs_interleave_each_ends_once_and_stays_apart(
    manager: HookManager, steps: list[tuple[int, str]], length: int
) -> None:
    local = HookManager()
    told: list[tuple[str, str, Any]] = []

    class Watch:
        @hookimpl
        def execution_start(self, ctx: Any) -> None:
            told.append(("start", ctx.run_id, ctx.parent_run_id))

        @hookimpl
        def run_finished(self, ctx: Any) -> None:
            told.append(("end", ctx.run_id, None))

    local.register(Watch())

    async def body(run: Any) -> AsyncIterator[str]:
        for _ in range(length):
            assert current_run().run_id == run.run_id
            yield run.run_id
            await asyncio.sleep(0)

    streams = [arun_stream(local, body, run_id=f"r{number}") for number in range(3)]
    for number, what in steps:
        if what == "close":
            await streams[number].aclose()
        else:
            item = await anext(streams[number], None)
            assert item in (None, f"r{number}")
        assert current_run().run_id is None
    for stream in streams:
        await stream.aclose()
    starts = [run for kind, run, _ in told if kind == "start"]
    ends = [run for kind, run, _ in told if kind == "end"]
    assert sorted(starts) == sorted(ends)
    assert len(set(ends)) == len(ends)
    assert {parent for kind, _, parent in told if kind == "start"} <= {None}
    local.close()
