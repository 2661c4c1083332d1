from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import Abort, HookAborted, HookManager, ModelCallContext, Replace, hookimpl
from hookcore.hosting import Answered, SplitCalls, UnknownCallError, current_run

pytestmark = pytest.mark.asyncio


async def test_a_call_in_two_halves_is_one_boundary(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    add("pre_tool_call", lambda ctx: {**ctx.tool_input, "b": 2})
    add("post_tool_call", lambda ctx: f"[{ctx.tool_result}]")
    calls = SplitCalls(manager)
    assert await calls.begin("add", {"a": 1}, call_id="c1") == {"a": 1, "b": 2}
    assert (calls.open, ends.tools) == (("c1",), [])
    assert await calls.end("c1", "3") == "[3]"
    assert (calls.open, ends.tools) == ((), [("c1", "ok")])


async def test_a_denied_call_has_ended(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    add("pre_tool_call", lambda ctx: Abort("rule 7", message="no"), gate=True)
    calls = SplitCalls(manager)
    with pytest.raises(HookAborted) as denial:
        await calls.begin("rm", {}, call_id="c1")
    assert (denial.value.message, calls.open, ends.tools) == ("no", (), [("c1", "denied")])


async def test_a_result_can_be_withheld(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    add("post_tool_call", lambda ctx: Abort("a secret"), gate=True)
    calls = SplitCalls(manager)
    await calls.begin("read", {}, call_id="c1")
    with pytest.raises(HookAborted, match="a secret"):
        await calls.end("c1", "hunter2")
    assert ends.tools == [("c1", "denied")]


async def test_an_error_comes_back_as_it_was(manager: HookManager, ends: Any) -> None:
    calls = SplitCalls(manager)
    await calls.begin("read", {}, call_id="c1")
    error = OSError("gone")
    with pytest.raises(OSError, match="gone") as raised:
        await calls.end("c1", error=error)
    assert (raised.value is error, ends.tools) == (True, [("c1", "error")])


async def test_an_error_with_a_value_goes_on_with_the_value(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    seen = []
    add("post_tool_call", lambda ctx: seen.append((ctx.tool_result, type(ctx.error))))
    calls = SplitCalls(manager)
    await calls.begin("read", {}, call_id="c1")
    assert await calls.end("c1", "it failed", error=OSError("gone")) == "it failed"
    assert (seen, ends.tools) == ([("it failed", OSError)], [("c1", "error")])


async def test_an_abandoned_call_is_cancelled(manager: HookManager, ends: Any) -> None:
    calls = SplitCalls(manager)
    await calls.begin("read", {}, call_id="c1")
    await calls.abandon("c1")
    assert ends.tools == [("c1", "cancelled")]


async def test_leaving_the_block_abandons_what_is_open(manager: HookManager, ends: Any) -> None:
    async with SplitCalls(manager) as calls:
        await calls.begin("a", {}, call_id="c1")
        await calls.begin("b", {}, call_id="c2")
        await calls.end("c2", "done")
    assert ends.tools == [("c2", "ok"), ("c1", "cancelled")]


@pytest.mark.parametrize("half", ["end", "abandon"])
async def test_what_is_not_open_cannot_end(manager: HookManager, half: str) -> None:
    calls = SplitCalls(manager)
    with pytest.raises(UnknownCallError, match="'c1'"):
        await getattr(calls, half)("c1")


async def test_a_call_ends_once(manager: HookManager, ends: Any) -> None:
    calls = SplitCalls(manager)
    await calls.begin("read", {}, call_id="c1")
    await calls.end("c1", "x")
    with pytest.raises(UnknownCallError, match="has ended already"):
        await calls.end("c1", "x")
    assert ends.tools == [("c1", "ok")]


async def test_two_open_calls_need_two_ids(manager: HookManager, ends: Any) -> None:
    async with SplitCalls(manager) as calls:
        await calls.begin("read", {}, call_id="c1")
        with pytest.raises(ValueError, match="'c1' is open"):
            await calls.begin("read", {}, call_id="c1")
        assert calls.open == ("c1",)
    assert ends.tools == [("c1", "cancelled")]


async def test_a_wrap_that_answers_spares_the_call(manager: HookManager, ends: Any) -> None:
    class Cache:
        @hookimpl
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            return "cached"

    manager.register(Cache())
    calls = SplitCalls(manager)
    with pytest.raises(Answered) as answered:
        await calls.begin("read", {}, call_id="c1")
    assert (answered.value.value, calls.open, ends.tools) == ("cached", (), [("c1", "ok")])


async def test_a_wrap_stands_around_both_halves(manager: HookManager, ends: Any) -> None:
    class Units:
        @hookimpl
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            return [await call_next({"unit": "C"})]

    manager.register(Units())
    calls = SplitCalls(manager)
    assert await calls.begin("read", {}, call_id="c1") == {"unit": "C"}
    assert await calls.end("c1", 20) == [20]


async def test_a_wrap_cannot_repeat_what_the_host_runs(manager: HookManager, ends: Any) -> None:
    class Retry:
        @hookimpl
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            try:
                return await call_next()
            except OSError:
                return await call_next()

    manager.register(Retry())
    calls = SplitCalls(manager)
    await calls.begin("read", {}, call_id="c1")
    with pytest.raises(RuntimeError, match="runs once"):
        await calls.end("c1", error=OSError("gone"))
    assert ends.tools == [("c1", "error")]


async def test_a_wrap_that_gives_up_has_the_last_word(manager: HookManager, ends: Any) -> None:
    given_up = asyncio.Event()

    class Impatient:
        @hookimpl
        async def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
            task = asyncio.ensure_future(call_next())
            await given_up.wait()
            task.cancel()
            await asyncio.wait({task})
            return "too slow"

    manager.register(Impatient())
    calls = SplitCalls(manager)
    await calls.begin("read", {}, call_id="c1")
    given_up.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert await calls.end("c1", "late") == "too slow"
    assert [call_id for call_id, _ in ends.tools] == ["c1"]


async def test_a_cancelled_beginning_ends_the_call(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    asked = asyncio.Event()

    class Slow:
        @hookimpl
        async def pre_tool_call(self, ctx: Any) -> None:
            asked.set()
            await asyncio.Event().wait()

    manager.register(Slow())
    calls = SplitCalls(manager)
    task = asyncio.create_task(calls.begin("read", {}, call_id="c1"))
    await asked.wait()
    task.cancel()
    await asyncio.wait({task})
    assert (calls.open, ends.tools) == ((), [("c1", "cancelled")])


async def test_both_halves_are_in_the_run_of_the_beginning(
    manager: HookManager, add: Callable[..., str]
) -> None:
    runs = []
    add("post_tool_call", lambda ctx: runs.append((ctx.run_id, current_run().run_id)))
    calls = SplitCalls(manager)
    async with manager.run(run_id="r1"):
        await calls.begin("read", {}, call_id="c1")
    await calls.end("c1", "x")
    assert runs == [("r1", "r1")]


async def test_closing_ends_all_calls_whatever_an_observer_does(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    def broken(ctx: Any) -> None:
        raise LookupError("the audit is down")

    add("tool_finished", broken, on_error="raise")
    calls = SplitCalls(manager)
    await calls.begin("a", {}, call_id="c1")
    await calls.begin("b", {}, call_id="c2")
    await calls.close()
    assert (calls.open, ends.tools) == ((), [("c1", "cancelled"), ("c2", "cancelled")])


async def test_a_model_call_in_two_halves(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    add("pre_model_call", lambda ctx: [*ctx.messages, "more"])
    add("post_model_call", lambda ctx: Replace(ctx.response.upper()))
    calls = SplitCalls(manager)
    assert await calls.begin_model(["hi"], call_id="m1", model="small") == ["hi", "more"]
    assert await calls.end("m1", "hello") == "HELLO"
    assert ends.models == [("m1", "ok")]


async def test_a_step_in_two_halves(manager: HookManager, add: Callable[..., str]) -> None:
    told: list[Any] = []
    add("pre_step", lambda ctx: {**ctx.payload, "limit": 1})
    add("post_step", lambda ctx: Replace(ctx.payload.upper()))
    add("step_finished", lambda ctx: told.append((ctx.kind, ctx.call_id, ctx.status)))
    calls = SplitCalls(manager)
    assert await calls.begin_step({"q": "x"}, call_id="s1", kind="task") == {"q": "x", "limit": 1}
    assert await calls.end("s1", "found") == "FOUND"
    await calls.begin_step({}, call_id="s2", kind="task")
    await calls.close()
    assert told == [("task", "s1", "ok"), ("task", "s2", "cancelled")]


async def test_a_denied_step_has_ended(manager: HookManager, add: Callable[..., str]) -> None:
    add("pre_step", lambda ctx: Abort("rule 3"))
    calls = SplitCalls(manager)
    with pytest.raises(HookAborted, match="rule 3"):
        await calls.begin_step({}, call_id="s1")
    assert calls.open == ()


async def test_without_hooks_the_halves_are_just_handed_on(manager: HookManager) -> None:
    calls = SplitCalls(manager)
    assert await calls.begin("t", {"a": 1}, call_id="c1") == {"a": 1}
    assert await calls.end("c1", "x") == "x"


MOVES = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["begin", "end", "error", "abandon", "value"])),
    max_size=30,
)


@settings(max_examples=settings().max_examples // 2)
@given(MOVES)
async def test_whatever_the_order_each_begun_call_ends_once(moves: list[tuple[int, str]]) -> None:
    manager = HookManager()
    begun: list[str] = []
    ended: list[str] = []

    class Watch:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> Any:
            begun.append(ctx.call_id)
            return False if ctx.tool_name == "t3" else None

        @hookimpl
        def tool_finished(self, ctx: Any) -> None:
            ended.append(ctx.call_id)

    manager.register(Watch())
    async with SplitCalls(manager) as calls:
        for step, (number, what) in enumerate(moves):
            slot = [call_id for call_id in calls.open if call_id.startswith(f"{number}-")]
            if what == "begin" and not slot:
                try:
                    await calls.begin(f"t{number}", {}, call_id=f"{number}-{step}")
                except HookAborted:
                    assert number == 3
            elif what == "end" and slot:
                assert await calls.end(slot[0], step) == step
            elif what == "value" and slot:
                assert await calls.end(slot[0], step, error=OSError()) == step
            elif what == "error" and slot:
                with pytest.raises(OSError, match="gone"):
                    await calls.end(slot[0], error=OSError("gone"))
            elif what == "abandon" and slot:
                await calls.abandon(slot[0])
    assert sorted(begun) == sorted(ended)
    manager.close()


async def test_a_run_in_two_halves_is_one_boundary(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    add("input", lambda ctx: {"text": "hello"})
    add("pre_run", lambda ctx: ctx.payload.upper())
    add("output", lambda ctx: f"[{ctx.payload}]")
    runs = SplitCalls(manager)
    told = {"message": lambda inputs: inputs["text"], "agent": "main"}
    assert await runs.begin_run({"text": "hi"}, run_id="r1", **told) == "HELLO"
    assert (current_run().run_id, runs.open, ends.runs) == (None, ("r1",), [])
    assert await runs.end("r1", "done") == "[done]"
    assert (runs.open, ends.runs) == ((), [("r1", "ok")])


async def test_a_denied_run_has_ended(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    add("pre_run", lambda ctx: Abort("rule 7", message="no"), gate=True)
    runs = SplitCalls(manager)
    with pytest.raises(HookAborted, match="rule 7"):
        await runs.begin_run(run_id="r1")
    assert (runs.open, ends.runs) == ((), [("r1", "denied")])


async def test_a_model_call_in_two_halves_may_have_a_context_of_the_hosts(
    manager: HookManager, ends: Any, add: Callable[..., str]
) -> None:
    add("pre_model_call", lambda ctx: setattr(ctx, "model", "small"))
    calls, ctx = SplitCalls(manager), ModelCallContext(messages=["hi"], model="large")
    assert await calls.begin_model(ctx, call_id="m1") == ["hi"]
    assert ctx.model == "small"
    assert await calls.end("m1", "done") == "done"
    assert ends.models == [("m1", "ok")]
