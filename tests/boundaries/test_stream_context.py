"""A stream runs in the scope and the run that it was started in, wherever it is consumed."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from hookcore import HookManager, ModelCallContext
from hookcore.dispatch.current import current_run
from hookcore_specs._runtime import ACTIVE

pytestmark = pytest.mark.asyncio

Add = Callable[..., str]
Starter = Callable[[HookManager, Callable[[Any], Any]], Any]


def through_model(manager: HookManager, call: Callable[[Any], Any]) -> Any:
    return manager.astream_model([], call)


def through_wrap(manager: HookManager, call: Callable[[Any], Any]) -> Any:
    return manager.awrap_stream("wrap_model_call", ModelCallContext(messages=[]), call)


STARTERS = [through_model, through_wrap]


async def passing(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
    async for event in call_next():
        yield event


def around(ctx: Any, call_next: Any) -> Iterator[Any]:
    yield


WRAPS = [None, passing, around]


@pytest.fixture
def judged(make_plugin: Any) -> tuple[Any, list[Any]]:
    """Return a policy and the list of what it judged: tool and run."""
    seen: list[Any] = []
    return make_plugin("pre_tool_call", lambda ctx: seen.append((ctx.tool_name, ctx.run_id))), seen


@pytest.mark.parametrize("start", STARTERS)
@pytest.mark.parametrize("wrap", WRAPS)
async def test_the_model_runs_in_the_scope_and_run_of_the_start(
    manager: HookManager, add: Add, *, judged: Any, drain: Any, start: Starter, wrap: Any
) -> None:
    policy, seen = judged
    if wrap is not None:
        add("wrap_model_call", wrap)

    async def model(messages: Any) -> AsyncIterator[str]:
        try:
            manager.call_tool("first", {}, lambda given: 1)
            yield "a"
            manager.call_tool("second", {}, lambda given: 1)
            yield "b"
        finally:
            manager.call_tool("closing", {}, lambda given: 1)

    with manager.scope(policy), manager.run(run_id="r"):
        events = start(manager, model)
    assert await drain(events) == ["a", "b"]
    assert seen == [("first", "r"), ("second", "r"), ("closing", "r")]


@pytest.mark.parametrize("start", STARTERS)
@pytest.mark.parametrize("wrap", WRAPS)
async def test_a_model_that_is_closed_early_cleans_up_in_the_scope_of_the_start(
    manager: HookManager, add: Add, judged: Any, start: Starter, wrap: Any
) -> None:
    policy, seen = judged
    if wrap is not None:
        add("wrap_model_call", wrap)

    async def model(messages: Any) -> AsyncIterator[str]:
        try:
            yield "a"
        finally:
            manager.call_tool("closing", {}, lambda given: 1)

    with manager.scope(policy), manager.run(run_id="r"):
        events = start(manager, model)
    await anext(events)
    await events.aclose()
    assert seen == [("closing", "r")]


@pytest.mark.parametrize("start", STARTERS)
@pytest.mark.parametrize("wrap", WRAPS)
async def test_nothing_leaks_into_the_consumer_between_the_events(
    manager: HookManager, add: Add, *, judged: Any, streaming: Any, start: Starter, wrap: Any
) -> None:
    policy, seen = judged
    if wrap is not None:
        add("wrap_model_call", wrap)
    add("post_model_call", lambda ctx: None, stream="window", window=1)
    with manager.scope(policy), manager.run(run_id="r"):
        events = start(manager, streaming("ab", "cd"))
    before = dict(contextvars.copy_context())
    async for _ in events:
        assert ACTIVE.get() is None
        assert current_run().run_id is None
        manager.call_tool("consumer's", {}, lambda given: 1)
    assert seen == []
    assert {var: var.get() for var in before} == before


async def test_the_hooks_of_a_stream_are_those_of_the_scope_of_the_start(
    manager: HookManager, make_plugin: Any, drain: Any, streaming: Any
) -> None:
    seen: list[str] = []

    def told(point: str) -> Any:
        return make_plugin(point, lambda ctx: seen.append(f"{point} {ctx.run_id}"))

    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        seen.append(f"wrap_model_call {ctx.run_id}")
        async for event in call_next():
            yield event

    points = ("pre_model_call", "model_input", "post_model_call", "model_output", "model_finished")
    policies = [told(point) for point in points]
    with manager.scope(*policies, make_plugin("wrap_model_call", wrap)), manager.run(run_id="r"):
        events = manager.astream_model([], streaming("a"))
    with manager.run(run_id="consumer's"):
        await drain(events)
    assert seen == [f"{point} r" for point in (points[0], "wrap_model_call", *points[1:])]


@pytest.mark.parametrize("start", STARTERS)
async def test_a_scope_that_the_model_enters_holds_over_its_yields(
    manager: HookManager, judged: Any, drain: Any, start: Starter
) -> None:
    policy, seen = judged

    async def model(messages: Any) -> AsyncIterator[str]:
        with manager.scope(policy), manager.run(run_id="sub"):
            yield "a"
            manager.call_tool("inside", {}, lambda given: 1)
        manager.call_tool("outside", {}, lambda given: 1)
        yield "b"

    assert await drain(start(manager, model)) == ["a", "b"]
    assert seen == [("inside", "sub")]


@pytest.mark.parametrize("form", ["stream", "around"])
async def test_a_scope_that_a_wrap_enters_holds_for_the_model(
    manager: HookManager, add: Add, judged: Any, drain: Any, form: str
) -> None:
    policy, seen = judged

    async def streamed(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        with manager.scope(policy):
            async for event in call_next():
                yield event

    def wrap(ctx: Any, call_next: Any) -> Iterator[Any]:
        with manager.scope(policy):
            yield

    async def model(messages: Any) -> AsyncIterator[str]:
        yield "a"
        manager.call_tool("inside", {}, lambda given: 1)
        yield "b"

    add("wrap_model_call", streamed if form == "stream" else wrap)
    await drain(manager.astream_model([], model))
    manager.call_tool("later", {}, lambda given: 1)
    assert seen == [("inside", None)]


async def test_a_streaming_sub_agent_is_judged_and_names_its_parent(
    manager: HookManager, add: Add, judged: Any, drain: Any, streaming: Any
) -> None:
    policy, seen = judged
    parents: list[Any] = []
    add("pre_run", lambda ctx: parents.append(ctx.parent_run_id))

    async def sub_agent(messages: Any) -> AsyncIterator[str]:
        async with manager.run(run_id="sub"):
            async for event in manager.astream_model([], streaming("a", "b")):
                manager.call_tool(event, {}, lambda given: 1)
                yield event

    with manager.scope(policy), manager.run(run_id="outer"):
        events = manager.astream_model([], sub_agent)
    assert await drain(events) == ["a", "b"]
    assert (parents, seen) == ([None, "outer"], [("a", "sub"), ("b", "sub")])


async def test_the_model_of_a_stream_is_not_inside_its_hooks(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    depth: list[str] = []

    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        depth.append(ctx.model)
        async for event in call_next():
            yield event

    async def outer(messages: Any) -> AsyncIterator[Any]:
        async for event in manager.astream_model([], streaming("a"), model="inner"):
            yield event

    add("wrap_model_call", wrap)
    await drain(manager.astream_model([], outer, model="outer"))
    assert depth == ["outer", "inner"]


async def test_a_stream_that_a_hook_starts_does_not_reach_that_hook(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    depth: list[str] = []

    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        depth.append(ctx.model)
        async for _ in manager.astream_model([], streaming("x"), model="helper"):
            pass
        async for event in call_next():
            yield event

    add("wrap_model_call", wrap)
    assert await drain(manager.astream_model([], streaming("a"), model="outer")) == ["a"]
    assert depth == ["outer"]


async def test_plugin_state_is_the_runs_at_every_event(
    manager: HookManager, add: Add, drain: Any, streaming: Any
) -> None:
    seen: list[Any] = []

    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            ctx.state["count"] = ctx.state.get("count", 0) + 1
            seen.append(ctx.state["count"])
            yield event

    add("wrap_model_call", wrap)
    async with manager.run():
        await drain(manager.astream_model([], streaming("a", "b")))
        await drain(manager.astream_model([], streaming("c")))
    assert seen == [1, 2, 3]


async def test_streams_that_are_consumed_in_turns_do_not_mix(
    manager: HookManager, add: Add
) -> None:
    seen: list[Any] = []

    async def model(messages: Any) -> AsyncIterator[str]:
        for _ in range(3):
            manager.call_tool("x", {"of": messages[0]}, lambda given: 1)
            yield messages[0]

    add("wrap_model_call", passing)
    add("pre_tool_call", lambda ctx: seen.append((ctx.run_id, ctx.payload["of"])))
    with manager.run(run_id="a"):
        first = manager.astream_model(["a"], model)
    with manager.run(run_id="b"):
        second = manager.astream_model(["b"], model)
    for _ in range(3):
        assert (await anext(first), await anext(second)) == ("a", "b")
    await first.aclose()
    await second.aclose()
    assert seen == [("a", "a"), ("b", "b")] * 3


async def test_each_event_may_be_asked_for_by_another_task(
    manager: HookManager, add: Add, judged: Any
) -> None:
    policy, seen = judged

    async def model(messages: Any) -> AsyncIterator[str]:
        for text in "abc":
            manager.call_tool(text, {}, lambda given: 1)
            yield text

    add("wrap_model_call", passing)
    with manager.scope(policy), manager.run(run_id="r"):
        events = manager.astream_model([], model)
    for text in "abc":
        assert await asyncio.create_task(anext(events)) == text
    await asyncio.create_task(events.aclose())
    assert seen == [("a", "r"), ("b", "r"), ("c", "r")]
