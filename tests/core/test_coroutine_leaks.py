"""No coroutine is left behind or mistaken for a value, whoever returned it (rule 1)."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hookcore import EventContext, HookAborted, HookDispatchedEvent, HookManager, ToolCallContext

pytestmark = pytest.mark.usefixtures("no_leaks")

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


async def renamed(ctx: Any) -> dict[str, Any]:
    await asyncio.sleep(0)
    return {**ctx.payload, "async": True}


def returns_a_coroutine(ctx: Any) -> Awaitable[dict[str, Any]]:
    return renamed(ctx)


def plainly(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a plain function that returns what an async one does."""

    def hook(ctx: Any) -> Any:
        return function(ctx)

    return hook


class Callee:
    """A callable object with an async call."""

    async def __call__(self, ctx: Any) -> dict[str, Any]:
        return await renamed(ctx)


def test_no_coroutine_leaks_when_an_earlier_hook_aborts(
    manager: HookManager, add: Add, call: Call
) -> None:
    add("pre_tool_call", lambda ctx: False)
    add("pre_tool_call", returns_a_coroutine)

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call())


def test_no_coroutine_leaks_when_the_host_is_cancelled(
    manager: HookManager, add: Add, call: Call
) -> None:
    async def slow(ctx: Any) -> None:
        await asyncio.Event().wait()

    add("pre_tool_call", plainly(slow))
    add("pre_tool_call", returns_a_coroutine)

    async def host() -> None:
        await asyncio.wait_for(manager.adispatch("pre_tool_call", call()), 0.01)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(host())


def test_a_plain_gate_that_returns_a_coroutine_is_awaited(
    manager: HookManager, add: Add, call: Call
) -> None:
    async def refuse(ctx: Any) -> None:
        raise HookAborted("no")

    add("pre_tool_call", plainly(refuse), gate=True)

    with pytest.raises(HookAborted, match="no"):
        manager.dispatch("pre_tool_call", call())


def test_an_observer_that_returns_a_coroutine_is_awaited(
    manager: HookManager, add: Add, call: Call
) -> None:
    told: list[int] = []

    async def tell(ctx: Any) -> None:
        told.append(1)

    add("tool_finished", plainly(tell))
    manager.dispatch("tool_finished", call())

    assert told == [1]


def test_a_collect_hook_that_returns_a_coroutine_has_failed_and_leaks_none(
    manager: HookManager, add: Add
) -> None:
    async def later() -> bool:
        return True

    add("accept_event", lambda ctx: later())

    assert manager.collect("accept_event", EventContext()) == []


@pytest.mark.parametrize("form", [Callee(), functools.partial(renamed)])
def test_an_async_listener_is_refused(manager: HookManager, form: Any) -> None:
    with pytest.raises(TypeError, match="takes a plain function"):
        manager.subscribe(form)


def test_a_listener_that_returns_a_coroutine_leaks_none(
    manager: HookManager, add: Add, call: Call
) -> None:
    events: list[HookDispatchedEvent] = []

    async def later(event: HookDispatchedEvent) -> None: ...

    manager.subscribe(plainly(later))
    manager.subscribe(events.append)
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call())

    assert len(events) == 1


def test_a_hook_that_awaits_after_another_renamed_the_tool_does_not_lose_the_chain(
    manager: HookManager, add: Add, call: Call
) -> None:
    ran: list[str] = []

    async def note(ctx: Any) -> None:
        ran.append("second")

    def rename(ctx: Any) -> None:
        ran.append("first")
        ctx.tool_name = "other"

    add("pre_tool_call", rename, tools=["a"])
    add("pre_tool_call", plainly(note), tools=["a"])
    add("pre_tool_call", lambda ctx: ran.append("third"), tools=["a"])

    for _ in range(2):
        manager.dispatch("pre_tool_call", call("a"))

    assert ran == ["first", "second", "third"] * 2


def test_what_a_plain_hook_shares_is_there_after_another_one_awaited(
    manager: HookManager, add: Add, call: Call
) -> None:
    seen: list[Any] = []

    def share(ctx: Any) -> None:
        ctx.shared["x"] = 1

    async def wait(ctx: Any) -> None:
        await asyncio.sleep(0)

    add("pre_tool_call", share)
    add("pre_tool_call", plainly(wait))
    add("pre_tool_call", lambda ctx: seen.append(ctx.shared.get("x")))

    manager.dispatch("pre_tool_call", call())

    assert seen == [1]
