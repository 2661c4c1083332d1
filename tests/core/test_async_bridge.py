"""Async hooks under sync hosts and the other way round; no coroutine leaks (rule 1)."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hookcore import HookManager, ToolCallContext

from ..waiting import settle

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
    from hookcore.hooks.dialect import Registration
    from hookcore.hooks.marks import OnMark
    from hookcore_specs import HookOptions

    def register(function: Any) -> None:
        manager.register_hook(Registration(function, OnMark("pre_tool_call", HookOptions())))

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
        await settle()
        order.append("first")

    def third(ctx: Any) -> Awaitee:
        order.append("third")
        return Awaitee(None)

    add("pre_tool_call", first)
    add("pre_tool_call", lambda ctx: order.append("second"))
    add("pre_tool_call", third)

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
