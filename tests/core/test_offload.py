"""``offload=True``: a plain hook that would block an event loop runs in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, ToolCallContext

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


def test_under_an_async_host_an_offloaded_hook_runs_in_another_thread(
    manager: HookManager, add: Add, call: Call
) -> None:
    threads: list[threading.Thread] = []
    add("pre_tool_call", lambda ctx: threads.append(threading.current_thread()), offload=True)

    asyncio.run(manager.adispatch("pre_tool_call", call()))

    assert len(threads) == 1
    assert threads != [threading.current_thread()]


def test_under_an_async_host_other_plain_hooks_run_inline(
    manager: HookManager, add: Add, call: Call
) -> None:
    threads: list[threading.Thread] = []
    add("pre_tool_call", lambda ctx: threads.append(threading.current_thread()))

    asyncio.run(manager.adispatch("pre_tool_call", call()))

    assert threads == [threading.current_thread()]


def test_under_a_sync_host_an_offloaded_hook_runs_on_the_calling_thread(
    manager: HookManager, add: Add, call: Call
) -> None:
    threads: list[threading.Thread] = []
    add("pre_tool_call", lambda ctx: threads.append(threading.current_thread()), offload=True)

    manager.dispatch("pre_tool_call", call())

    assert threads == [threading.current_thread()]


def test_the_event_loop_goes_on_while_an_offloaded_hook_blocks(
    manager: HookManager, add: Add, call: Call
) -> None:
    ticked = threading.Event()
    add("pre_tool_call", lambda ctx: {"ticked": ticked.wait(30)}, offload=True)

    async def host() -> Any:
        asyncio.get_running_loop().call_later(0.01, ticked.set)
        return (await manager.adispatch("pre_tool_call", call())).payload

    assert asyncio.run(host()) == {"ticked": True}


def test_what_an_offloaded_hook_does_is_applied(manager: HookManager, add: Add, call: Call) -> None:
    payload: dict[str, Any] = {}
    add("pre_tool_call", lambda ctx: ctx.payload.update(edited=True), offload=True)

    asyncio.run(manager.adispatch("pre_tool_call", call(payload=payload)))

    assert payload == {"edited": True}


def test_an_offloaded_hook_aborts(manager: HookManager, add: Add, call: Call) -> None:
    add("pre_tool_call", lambda ctx: False, offload=True, name="p")

    with pytest.raises(HookAborted) as caught:
        asyncio.run(manager.adispatch("pre_tool_call", call()))
    assert caught.value.source == "p.<lambda>"


def test_an_offloaded_gate_judges(manager: HookManager, add: Add, call: Call) -> None:
    def refuse(ctx: Any) -> None:
        raise HookAborted("no")

    add("pre_tool_call", refuse, offload=True, gate=True)

    with pytest.raises(HookAborted, match="no"):
        asyncio.run(manager.adispatch("pre_tool_call", call()))


def test_an_offloaded_hook_reads_its_state(manager: HookManager, add: Add, call: Call) -> None:
    seen: list[Any] = []

    def count(ctx: Any) -> None:
        ctx.state["n"] = ctx.state.get("n", 0) + 1
        seen.append(ctx.state["n"])

    add("pre_tool_call", count, offload=True)

    for _ in range(2):
        asyncio.run(manager.adispatch("pre_tool_call", call(run_id="r")))

    assert seen == [1, 2]


def test_a_sync_host_inside_an_event_loop_is_told_the_same(
    manager: HookManager, add: Add, call: Call
) -> None:
    threads: list[threading.Thread] = []

    def refuse(ctx: Any) -> None:
        threads.append(threading.current_thread())
        raise HookAborted("no")

    add("pre_tool_call", refuse, offload=True, gate=True)

    async def host() -> str:
        try:
            manager.dispatch("pre_tool_call", call())
        except HookAborted as aborted:
            return aborted.reason
        return "went on"

    assert asyncio.run(host()) == "no"
    with pytest.raises(HookAborted, match="no"):
        manager.dispatch("pre_tool_call", call())
    assert threads == [threading.current_thread()] * 2
