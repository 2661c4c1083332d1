"""Async hooks under sync hosts and the other way round; no coroutine leaks (rule 1)."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hookcore import (
    BackgroundLoopError,
    EventContext,
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    ToolCallContext,
)

pytestmark = pytest.mark.usefixtures("no_leaks")

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


async def renamed(ctx: Any) -> dict[str, Any]:
    await asyncio.sleep(0)
    return {**ctx.payload, "async": True}


def returns_a_coroutine(ctx: Any) -> Awaitable[dict[str, Any]]:
    return renamed(ctx)


class Callee:
    """A callable object with an async call."""

    async def __call__(self, ctx: Any) -> dict[str, Any]:
        return await renamed(ctx)


class Awaitee:
    """An awaitable that is no coroutine."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __await__(self) -> Any:
        yield from asyncio.sleep(0).__await__()
        return self.value


FORMS: dict[str, Callable[[Any], Any]] = {
    "async def": renamed,
    "a plain function that returns a coroutine": returns_a_coroutine,
    "a partial of an async function": functools.partial(renamed),
    "a callable object": Callee(),
    "a plain function that returns an awaitable": lambda ctx: Awaitee({"async": True}),
}
forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


@pytest.fixture
def on_any(manager: HookManager) -> Callable[[Any], None]:
    """Return a way to register any callable, as ``@on`` does."""
    from hookcore._marks import OnMark
    from hookcore_specs import HookOptions

    def register(function: Any) -> None:
        manager._add_function(function, OnMark("pre_tool_call", HookOptions()))

    return register


@forms
def test_a_sync_dispatch_runs_it_to_its_end(
    manager: HookManager, on_any: Callable[[Any], None], call: Call, form: Any
) -> None:
    on_any(form)

    assert manager.dispatch("pre_tool_call", call(payload={})).payload == {"async": True}


@forms
def test_an_async_dispatch_awaits_it(
    manager: HookManager, on_any: Callable[[Any], None], call: Call, form: Any
) -> None:
    on_any(form)

    ctx = asyncio.run(manager.adispatch("pre_tool_call", call(payload={})))

    assert ctx.payload == {"async": True}


@forms
def test_a_sync_dispatch_runs_it_also_on_a_thread_that_runs_a_loop(
    manager: HookManager, on_any: Callable[[Any], None], call: Call, form: Any
) -> None:
    on_any(form)

    async def host() -> Any:
        return manager.dispatch("pre_tool_call", call(payload={})).payload

    assert asyncio.run(host()) == {"async": True}


def test_async_and_plain_hooks_run_one_after_the_other(
    manager: HookManager, add: Add, call: Call
) -> None:
    order: list[str] = []

    async def first(ctx: Any) -> None:
        await asyncio.sleep(0.01)
        order.append("first")

    add("pre_tool_call", first)
    add("pre_tool_call", lambda ctx: order.append("second"))
    add("pre_tool_call", lambda ctx: Awaitee(order.append("third")))

    asyncio.run(manager.adispatch("pre_tool_call", call()))
    manager.dispatch("pre_tool_call", call())

    assert order == ["first", "second", "third"] * 2


def test_an_async_dispatch_runs_its_hooks_on_the_hosts_own_loop(
    manager: HookManager, add: Add, call: Call
) -> None:
    loops: list[Any] = []

    async def hook(ctx: Any) -> None:
        loops.append(asyncio.get_running_loop())

    add("pre_tool_call", hook)

    async def host() -> bool:
        await manager.adispatch("pre_tool_call", call())
        return loops == [asyncio.get_running_loop()]

    assert asyncio.run(host())


def test_sync_dispatches_share_one_background_loop(
    manager: HookManager, add: Add, call: Call
) -> None:
    loops: list[Any] = []

    async def hook(ctx: Any) -> None:
        loops.append(asyncio.get_running_loop())

    add("pre_tool_call", hook)
    threads = [
        threading.Thread(target=manager.dispatch, args=("pre_tool_call", call())) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(loops) == 4
    assert len(set(loops)) == 1


def test_a_plain_chain_starts_no_background_loop(
    manager: HookManager, add: Add, call: Call
) -> None:
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call())

    assert manager._loop._thread is None


@pytest.mark.parametrize("timeout", [None, 30.0])
@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_sync_dispatch_on_the_background_loop_itself_is_a_clear_error(
    manager: HookManager, add: Add, call: Call, timeout: float | None, on_error: str
) -> None:
    async def outer(ctx: Any) -> None:
        manager.dispatch("pre_model_call", ctx)

    add("pre_tool_call", outer, on_error=on_error)
    add("pre_model_call", renamed, timeout=timeout)

    with pytest.raises(BackgroundLoopError, match="adispatch"):
        manager.dispatch("pre_tool_call", call())


def test_an_async_hook_may_dispatch_with_adispatch(
    manager: HookManager, add: Add, call: Call
) -> None:
    async def outer(ctx: Any) -> Any:
        inner = ToolCallContext(tool_name="x", payload={})
        return (await manager.adispatch("post_tool_call", inner)).payload

    add("pre_tool_call", outer)
    add("post_tool_call", renamed)

    assert manager.dispatch("pre_tool_call", call()).payload == {"async": True}


def test_a_manager_is_usable_after_close(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", renamed)

    for _ in range(2):
        assert manager.dispatch("pre_tool_call", call(payload={})).payload == {"async": True}
        manager.close()


def test_closing_cancels_an_async_hook_that_a_thread_waits_for(
    manager: HookManager, add: Add, call: Call
) -> None:
    started = threading.Event()
    raised: list[type[BaseException]] = []

    async def hook(ctx: Any) -> None:
        started.set()
        await asyncio.sleep(60)

    def host() -> None:
        try:
            manager.dispatch("pre_tool_call", call())
        except BaseException as error:
            raised.append(type(error))

    add("pre_tool_call", hook)
    thread = threading.Thread(target=host)
    thread.start()
    started.wait(30)
    manager.close()
    thread.join(30)

    assert raised == [asyncio.CancelledError]


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
        await asyncio.sleep(60)

    add("pre_tool_call", lambda ctx: slow(ctx))
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

    add("pre_tool_call", lambda ctx: refuse(ctx), gate=True)

    with pytest.raises(HookAborted, match="no"):
        manager.dispatch("pre_tool_call", call())


def test_an_observer_that_returns_a_coroutine_is_awaited(
    manager: HookManager, add: Add, call: Call
) -> None:
    told: list[int] = []

    async def tell(ctx: Any) -> None:
        told.append(1)

    add("tool_finished", lambda ctx: tell(ctx))
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
    async def later(event: HookDispatchedEvent) -> None: ...

    manager.subscribe(lambda event: later(event))
    add("pre_tool_call", lambda ctx: None)

    manager.dispatch("pre_tool_call", call())

    assert manager._listeners.functions


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
    add("pre_tool_call", lambda ctx: note(ctx), tools=["a"])
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
    add("pre_tool_call", lambda ctx: wait(ctx))
    add("pre_tool_call", lambda ctx: seen.append(ctx.shared.get("x")))

    manager.dispatch("pre_tool_call", call())

    assert seen == [1]
