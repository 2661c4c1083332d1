"""The loop on which sync hosts run async hooks: shared, closable, never waiting for itself."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import BackgroundLoopError, HookManager, ToolCallContext

pytestmark = pytest.mark.usefixtures("no_leaks")

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


async def renamed(ctx: Any) -> dict[str, Any]:
    await asyncio.sleep(0)
    return {**ctx.payload, "async": True}


def test_a_plain_chain_starts_no_background_loop(
    manager: HookManager, add: Add, call: Call
) -> None:
    add("pre_tool_call", lambda ctx: None)
    before = threading.enumerate()

    manager.dispatch("pre_tool_call", call())

    assert threading.enumerate() == before


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
        await asyncio.Event().wait()

    def host() -> None:
        try:
            manager.dispatch("pre_tool_call", call())
        except BaseException as error:  # noqa: BLE001 - its class is what is tested
            raised.append(type(error))

    add("pre_tool_call", hook)
    thread = threading.Thread(target=host)
    thread.start()
    started.wait(30)
    manager.close()
    thread.join(30)

    assert raised == [asyncio.CancelledError]


@pytest.mark.parametrize("timeout", [None, 30.0])
def test_threads_that_dispatch_while_the_manager_is_closed_again_and_again_all_come_back(
    manager: HookManager, add: Add, call: Call, timeout: float | None
) -> None:
    over = threading.Event()
    outcomes: set[str] = set()

    async def hook(ctx: Any) -> None:
        await asyncio.sleep(0)

    def host() -> None:
        while not over.is_set():
            try:
                manager.dispatch("pre_tool_call", call())
                outcomes.add("done")
            except asyncio.CancelledError:
                outcomes.add("cancelled")

    add("pre_tool_call", hook, timeout=timeout)
    threads = [threading.Thread(target=host, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        manager.close()
    over.set()
    for thread in threads:
        thread.join(30)

    assert [thread.is_alive() for thread in threads] == [False] * 3
    assert outcomes <= {"done", "cancelled"}


def test_a_hook_may_close_its_own_manager(manager: HookManager, add: Add, call: Call) -> None:
    async def hook(ctx: Any) -> None:
        manager.close()

    add("pre_tool_call", hook, on_error="raise")
    add("pre_tool_call", lambda ctx: {"after": True})

    assert manager.dispatch("pre_tool_call", call()).payload == {"after": True}
