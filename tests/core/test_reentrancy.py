"""A hook is not re-entered by a dispatch that it causes while it runs (rule 9)."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, HookManager, ToolCallContext
from hookcore_specs._runtime import ACTIVE, PARENT

from ..waiting import settle

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]


def test_a_hook_is_passed_over_by_the_dispatch_that_it_causes(
    manager: HookManager, add: Add, call: Call
) -> None:
    depth: list[int] = []

    def hook(ctx: Any) -> None:
        depth.append(1)
        manager.dispatch("pre_tool_call", call())

    add("pre_tool_call", hook)
    manager.dispatch("pre_tool_call", call())

    assert depth == [1]


def test_an_async_hook_is_passed_over_by_the_dispatch_that_it_causes(
    manager: HookManager, add: Add, call: Call
) -> None:
    depth: list[int] = []

    async def hook(ctx: Any) -> None:
        depth.append(1)
        await manager.adispatch("pre_tool_call", call())

    add("pre_tool_call", hook)
    manager.dispatch("pre_tool_call", call())
    asyncio.run(manager.adispatch("pre_tool_call", call()))

    assert depth == [1, 1]


def test_the_other_hooks_judge_the_dispatch_that_a_hook_causes(
    manager: HookManager, add: Add, call: Call
) -> None:
    judged: list[Any] = []

    def hook(ctx: Any) -> None:
        if ctx.tool_name == "outer":
            manager.dispatch("pre_tool_call", call("inner"))

    add("pre_tool_call", hook)
    add("pre_tool_call", lambda ctx: judged.append(ctx.tool_name))
    manager.dispatch("pre_tool_call", call("outer"))

    assert judged == ["inner", "outer"]


def test_a_skipped_hook_is_recorded(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    def hook(ctx: Any) -> None:
        manager.dispatch("pre_tool_call", call())

    add("pre_tool_call", hook, name="a")
    add("pre_tool_call", lambda ctx: None, name="b")
    manager.dispatch("pre_tool_call", call())

    inner, outer = events
    assert [(record.plugin, record.verdict) for record in inner.records] == [
        ("a", "skipped"),
        ("b", "allow"),
    ]
    assert (inner.hook_count, outer.hook_count) == (1, 2)


def test_a_dispatch_whose_hooks_were_all_skipped_yields_no_event(
    manager: HookManager, add: Add, call: Call, events: Events
) -> None:
    def hook(ctx: Any) -> None:
        manager.dispatch("pre_tool_call", call())

    add("pre_tool_call", hook)
    manager.dispatch("pre_tool_call", call())

    assert len(events) == 1


def test_two_hooks_that_cause_each_other_end(manager: HookManager, add: Add, call: Call) -> None:
    ran: list[str] = []

    def pre(ctx: Any) -> None:
        ran.append("pre")
        manager.dispatch("post_tool_call", call())

    def post(ctx: Any) -> None:
        ran.append("post")
        manager.dispatch("pre_tool_call", call())

    add("pre_tool_call", pre)
    add("post_tool_call", post)
    manager.dispatch("pre_tool_call", call())

    assert ran == ["pre", "post"]


def test_a_gate_is_not_re_entered(manager: HookManager, add: Add, call: Call) -> None:
    ran: list[int] = []

    def gate(ctx: Any) -> None:
        ran.append(1)
        manager.dispatch("pre_tool_call", call())

    add("pre_tool_call", gate, gate=True)
    manager.dispatch("pre_tool_call", call())

    assert ran == [1]


def test_a_timed_hook_is_not_re_entered_from_its_thread(
    manager: HookManager, add: Add, call: Call
) -> None:
    ran: list[int] = []

    def hook(ctx: Any) -> None:
        ran.append(1)
        manager.dispatch("pre_tool_call", call())

    add("pre_tool_call", hook, timeout=30)
    manager.dispatch("pre_tool_call", call())

    assert ran == [1]


def test_a_hook_runs_again_in_the_next_dispatch(manager: HookManager, add: Add, call: Call) -> None:
    ran: list[int] = []
    add("pre_tool_call", lambda ctx: ran.append(1))

    manager.dispatch("pre_tool_call", call())
    manager.dispatch("pre_tool_call", call())

    assert ran == [1, 1]


def test_a_hook_runs_in_concurrent_dispatches(manager: HookManager, add: Add, call: Call) -> None:
    ran: list[int] = []

    async def hook(ctx: Any) -> None:
        await settle()
        ran.append(1)

    add("pre_tool_call", hook)

    async def host() -> None:
        await asyncio.gather(*(manager.adispatch("pre_tool_call", call()) for _ in range(5)))

    asyncio.run(host())

    assert ran == [1] * 5


def test_the_same_hook_of_another_manager_is_not_the_same_hook(
    manager: HookManager, add: Add, one_hook: Callable[..., Any], call: Call
) -> None:
    other = HookManager()
    ran: list[int] = []
    other.register(one_hook("pre_tool_call", lambda ctx: ran.append(1)))

    def ask_the_other(ctx: Any) -> None:
        other.dispatch("pre_tool_call", call())

    add("pre_tool_call", ask_the_other)

    manager.dispatch("pre_tool_call", call())

    assert ran == [1]


def test_the_body_inside_a_wrap_is_not_inside_the_hook(manager: HookManager, add: Add) -> None:
    wrapped: list[Any] = []

    def around(ctx: Any, call_next: Any) -> Iterator[Any]:
        wrapped.append(ctx.tool_name)
        yield

    def outer(arguments: Any) -> None:
        manager.call_tool("inner", {}, lambda arguments: None)

    add("wrap_tool_call", around)
    manager.call_tool("outer", {}, outer)

    assert wrapped == ["outer", "inner"]


def test_a_tool_called_by_a_tool_is_judged(manager: HookManager, add: Add) -> None:
    def refuse_inner(ctx: Any) -> None:
        if ctx.tool_name == "inner":
            raise HookAborted("no")

    add("pre_tool_call", refuse_inner)

    with pytest.raises(HookAborted, match="no"):
        manager.call_tool(
            "outer", {}, lambda _: manager.call_tool("inner", {}, lambda arguments: None)
        )


def test_a_task_that_a_hook_leaves_behind_is_judged_by_all_hooks(
    manager: HookManager, add: Add, call: Call
) -> None:
    judged: list[Any] = []
    tasks: list[asyncio.Task[Any]] = []

    async def background() -> None:
        await settle()
        await manager.adispatch("pre_tool_call", call("background"))

    async def starts_a_task(ctx: Any) -> None:
        if ctx.tool_name == "outer":
            tasks.append(asyncio.create_task(background()))

    async def slow_guard(ctx: Any) -> None:
        judged.append(ctx.tool_name)
        if ctx.tool_name == "outer":
            await settle()

    add("pre_tool_call", starts_a_task)
    add("pre_tool_call", slow_guard)

    async def host() -> None:
        await manager.adispatch("pre_tool_call", call("outer"))
        await asyncio.gather(*tasks)

    asyncio.run(host())

    assert judged == ["outer", "background"]


def test_a_thread_that_a_hook_leaves_behind_is_judged_by_all_hooks(
    manager: HookManager, add: Add, call: Call
) -> None:
    judged: list[Any] = []
    guarding = threading.Event()
    threads: list[threading.Thread] = []

    def background() -> None:
        guarding.wait(30)
        manager.dispatch("pre_tool_call", call("background"))

    def starts_a_thread(ctx: Any) -> None:
        if ctx.tool_name == "outer":
            context = contextvars.copy_context()
            threads.append(threading.Thread(target=context.run, args=(background,)))
            threads[0].start()

    def slow_guard(ctx: Any) -> None:
        judged.append(ctx.tool_name)
        if ctx.tool_name == "outer":
            guarding.set()
            threads[0].join(30)

    # The fast loop of plain chains has one frame for all its hooks; the engine has one for each.
    manager.tracks_mutations = True
    add("pre_tool_call", starts_a_thread)
    add("pre_tool_call", slow_guard)
    manager.dispatch("pre_tool_call", call("outer"))

    assert judged == ["outer", "background"]


def _async_wrap(enter: Callable[[Any], None]) -> Any:
    async def hook(ctx: Any, call_next: Any) -> Any:
        enter(ctx)
        return await call_next()

    return hook


def _plain_wrap(enter: Callable[[Any], None]) -> Any:
    def hook(ctx: Any, call_next: Any) -> Iterator[None]:
        enter(ctx)
        yield

    return hook


def _streaming_wrap(enter: Callable[[Any], None]) -> Any:
    async def hook(ctx: Any, call_next: Any) -> Any:
        enter(ctx)
        async for event in call_next():
            yield event

    return hook


@pytest.mark.parametrize("make", [_async_wrap, _plain_wrap, _streaming_wrap])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_wrap_stands_around_what_a_task_does_that_it_left_behind(
    manager: HookManager, add: Add, call: Call, make: Any, *, streamed: bool
) -> None:
    wrapped: list[Any] = []
    tasks: list[asyncio.Task[Any]] = []

    async def background() -> None:
        await settle()
        await manager.awrap("wrap_tool_call", call("background"), lambda payload: None)

    def enter(ctx: Any) -> None:
        wrapped.append(ctx.tool_name)
        if ctx.tool_name == "outer":
            tasks.append(asyncio.create_task(background()))

    async def source(payload: Any) -> Any:
        yield 1

    async def host() -> None:
        if streamed:
            async for _ in manager.awrap_stream("wrap_tool_call", call("outer"), source):
                pass
        else:
            await manager.awrap("wrap_tool_call", call("outer"), lambda payload: None)
        await asyncio.gather(*tasks)

    add("wrap_tool_call", make(enter))
    asyncio.run(host())

    assert wrapped == ["outer", "background"]


@pytest.mark.parametrize("point", ["pre_tool_call", "tool_finished"])
def test_tasks_that_start_tasks_hold_on_to_no_frames(
    manager: HookManager, add: Add, call: Call, point: str
) -> None:
    depths: list[int] = []
    tasks: list[asyncio.Task[Any]] = []

    async def hook(ctx: Any) -> None:
        frame, depth = ACTIVE.get(), 0
        while frame is not None:
            frame, depth = frame[PARENT], depth + 1
        depths.append(depth)
        if len(depths) < 20:
            tasks.append(asyncio.create_task(manager.adispatch(point, call())))

    async def host() -> None:
        await manager.adispatch(point, call())
        for task in tasks:
            await task

    add(point, hook)
    asyncio.run(host())

    assert len(depths) == 20
    assert max(depths) <= 2
