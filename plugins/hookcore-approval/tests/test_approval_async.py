"""An event loop goes on while a call waits for a person."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any


def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds; the test's own time-out ends it otherwise."""
    pause = threading.Event()
    while not condition():
        pause.wait(0.005)


def test_an_event_loop_goes_on_while_a_call_waits(make_host: Callable[..., Any]) -> None:
    host = make_host(wait_s=50)

    async def tool(_: Any) -> str:
        return "ran"

    async def person() -> str:
        await asyncio.to_thread(until, host.pending)
        request: str = await asyncio.to_thread(host.decide)
        return request

    async def both() -> tuple[Any, str]:
        call = host.manager.acall_tool("pay", {"amount": 1}, tool, session_id="s1")
        return await asyncio.gather(call, person())

    ran, _ = asyncio.run(both())
    assert ran == "ran"
