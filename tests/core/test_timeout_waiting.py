"""The things that a timed hook sees and keeps, and the waiting that is not counted (rule 5)."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, HookManager, ToolCallContext
from hookcore.testing import HandClock, abandoned_threads

from ..waiting import until

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]
Events = list[HookDispatchedEvent]
SHORT = 0.02
LONG = 30.0


variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")


def dispatch_either(manager: HookManager, ctx: ToolCallContext, *, asynchronous: bool) -> Any:
    """Dispatch as a sync or as an async host."""
    if asynchronous:
        return asyncio.run(manager.adispatch("pre_tool_call", ctx))
    return manager.dispatch("pre_tool_call", ctx)


def plainly(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a plain function that returns what an async one does."""

    def hook(ctx: Any) -> Any:
        return function(ctx)

    return hook


both = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


def _plain(seen: list[str]) -> Callable[[Any], Any]:
    def hook(ctx: Any) -> None:
        seen.append(variable.get())
        variable.set("changed")

    return hook


def _async(seen: list[str]) -> Callable[[Any], Any]:
    async def hook(ctx: Any) -> None:
        seen.append(variable.get())
        variable.set("changed")

    return hook


@pytest.mark.parametrize("make", [_plain, _async])
@both
def test_a_timed_hook_sees_context_variables_and_what_it_sets_is_not_kept(
    manager: HookManager, add: Add, call: Call, make: Any, *, asynchronous: bool
) -> None:
    seen: list[str] = []
    after: list[str] = []
    add("pre_tool_call", make(seen), timeout=LONG)
    add("pre_tool_call", lambda ctx: after.append(variable.get()))

    token = variable.set("the host's")
    try:
        dispatch_either(manager, call(), asynchronous=asynchronous)
    finally:
        variable.reset(token)

    assert (seen, after) == (["the host's"], ["the host's"])


@pytest.fixture
def slow_person(manager: HookManager, clock: HandClock) -> None:
    """Let the manager ask a person who takes longer than any timeout."""

    class Slow:
        def ask(self, prompt: str, default_message: str) -> str:
            clock.advance(LONG)
            time.sleep(SHORT * 5)  # so that the one who waits looks at the clock meanwhile
            return "yes"

    manager.prompter = Slow()


@both
@pytest.mark.usefixtures("slow_person")
def test_waiting_for_a_person_is_not_counted_for_a_plain_hook(
    manager: HookManager, add: Add, call: Call, events: Events, *, asynchronous: bool
) -> None:
    add("pre_tool_call", lambda ctx: {"answer": ctx.request_human_input("?")}, timeout=SHORT)

    ctx = dispatch_either(manager, call(), asynchronous=asynchronous)

    assert ctx.payload == {"answer": "yes"}


@both
@pytest.mark.usefixtures("slow_person")
def test_waiting_for_a_person_is_not_counted_for_an_async_hook(
    manager: HookManager, add: Add, call: Call, *, asynchronous: bool
) -> None:
    async def hook(ctx: Any) -> dict[str, str]:
        return {"answer": await ctx.arequest_human_input("?")}

    add("pre_tool_call", hook, timeout=SHORT)

    ctx = dispatch_either(manager, call(), asynchronous=asynchronous)

    assert ctx.payload == {"answer": "yes"}


def test_waiting_for_two_people_at_once_is_not_counted(
    manager: HookManager, add: Add, call: Call, clock: HandClock
) -> None:
    class Person:
        def __init__(self) -> None:
            self.asked = 0

        def ask(self, prompt: str, default_message: str) -> str:
            raise AssertionError

        async def aask(self, prompt: str, default_message: str) -> str:
            self.asked += 1
            clock.advance(LONG)
            await asyncio.sleep(SHORT * 2 * self.asked)
            return prompt

    manager.prompter = Person()

    async def hook(ctx: Any) -> dict[str, Any]:
        asks = (ctx.arequest_human_input("a"), ctx.arequest_human_input("b"))
        return {"answers": await asyncio.gather(*asks)}

    add("pre_tool_call", hook, timeout=SHORT)

    assert manager.dispatch("pre_tool_call", call()).payload == {"answers": ["a", "b"]}


@pytest.mark.usefixtures("slow_person")
def test_the_clock_goes_on_after_the_answer(
    manager: HookManager, add: Add, call: Call, clock: HandClock
) -> None:
    async def hook(ctx: Any) -> None:
        await ctx.arequest_human_input("?")
        clock.advance(LONG)
        await asyncio.Event().wait()

    add("pre_tool_call", hook, timeout=SHORT, on_error="deny")

    with pytest.raises(HookAborted, match="HookTimeoutError"):
        manager.dispatch("pre_tool_call", call())


@both
@pytest.mark.usefixtures("no_leaks")
def test_a_timeout_that_is_over_at_once_leaks_no_coroutine(
    manager: HookManager, add: Add, call: Call, *, asynchronous: bool
) -> None:
    async def hook(ctx: Any) -> None:
        await asyncio.Event().wait()

    add("pre_tool_call", hook, timeout=1e-9, on_error="deny")

    with pytest.raises(HookAborted):
        dispatch_either(manager, call(), asynchronous=asynchronous)


@both
def test_a_timed_plain_function_may_return_an_awaitable_that_replaces_the_payload(
    manager: HookManager, add: Add, call: Call, *, asynchronous: bool
) -> None:
    async def inner(ctx: Any) -> None:
        await asyncio.sleep(0)
        ctx.payload = {"bound": True}

    add("pre_tool_call", plainly(inner), timeout=LONG)

    assert dispatch_either(manager, call(), asynchronous=asynchronous).payload == {"bound": True}


def test_a_host_that_is_cancelled_while_a_timed_hook_runs_is_let_go(
    manager: HookManager, add: Add, call: Call, release: threading.Event
) -> None:
    began = threading.Event()

    def slow(ctx: Any) -> None:
        began.set()
        release.wait(LONG)

    add("pre_tool_call", slow, timeout=LONG)

    async def host() -> None:
        task = asyncio.ensure_future(manager.adispatch("pre_tool_call", call()))
        await asyncio.to_thread(began.wait, LONG)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(host())


@both
def test_an_observer_with_a_timeout_is_told_in_a_thread(
    manager: HookManager, add: Add, call: Call, *, asynchronous: bool
) -> None:
    threads: list[threading.Thread] = []
    add("tool_finished", lambda ctx: threads.append(threading.current_thread()), timeout=LONG)

    if asynchronous:
        asyncio.run(manager.adispatch("tool_finished", call()))
    else:
        manager.dispatch("tool_finished", call())

    assert threads != [threading.current_thread()]
    assert len(threads) == 1


@both
def test_a_stop_iteration_in_a_thread_is_a_failure_like_any_other(
    manager: HookManager, add: Add, call: Call, events: Events, *, asynchronous: bool
) -> None:
    def hook(ctx: Any) -> None:
        next(iter([]))

    add("pre_tool_call", hook, timeout=LONG)
    dispatch_either(manager, call(), asynchronous=asynchronous)

    assert [record.verdict for record in events[0].records] == ["error"]


def test_a_thread_that_comes_back_after_the_event_loop_is_gone_disturbs_nobody(
    manager: HookManager,
    add: Add,
    call: Call,
    release: threading.Event,
    caplog: pytest.LogCaptureFixture,
) -> None:
    add("pre_tool_call", lambda ctx: release.wait(LONG) and None, timeout=SHORT)
    asyncio.run(manager.adispatch("pre_tool_call", call()))
    caplog.clear()

    release.set()
    until(lambda: not abandoned_threads(manager))
    assert caplog.records == []
