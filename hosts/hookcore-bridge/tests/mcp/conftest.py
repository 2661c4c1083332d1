"""A client and a server by hand, with a session between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_bridge.mcp.pins import Pins
from hookcore_bridge.mcp.points import TOOL_OFFERED, OfferSpecs
from hookcore_bridge.mcp.session import Session
from hookcore_bridge.mcp.sides import Side, Verdict
from hookcore_bridge.mcp.tools import Offers
from tests.conftest import bare_machine

__all__ = ["bare_machine"]


class Wire:
    """Both ends of a connection: what each was sent is kept."""

    def __init__(self, manager: HookManager, server: str | None, pins: Pins | None) -> None:
        self.notes: list[str] = []
        if TOOL_OFFERED not in manager.parts.table:
            manager.add_hookspecs(OfferSpecs)
        offers = Offers(manager, server, pins, self.notes.append)
        self.session = Session(manager, offers, self.notes.append, {"cwd": "/project"})
        self.got: dict[Side, list[Any]] = {side: [] for side in Side}

    async def sends(self, sender: Side, message: Any) -> Any:
        """Send a message; return what the other end gets of it, None when that is nothing."""
        verdict: Verdict | Awaitable[Verdict] = self.session.take(message, sender)
        if not isinstance(verdict, Verdict):
            verdict = await verdict
        if verdict.answer is not None:
            self.got[sender].append(verdict.answer)
        if verdict.forward is not None:
            self.got[sender.other].append(verdict.forward)
        return verdict.forward

    async def client(self, message: Any) -> Any:
        return await self.sends(Side.CLIENT, message)

    async def server(self, message: Any) -> Any:
        return await self.sends(Side.SERVER, message)

    async def asks(self, method: str, params: Any, answer: Any, *, request_id: Any = 1) -> Any:
        """Send a client's request, let the server answer; return what the client gets."""
        sent = await self.client(
            {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        )
        if sent is not None:
            await self.server({"jsonrpc": "2.0", "id": request_id, **answer})
        return self.got[Side.CLIENT][-1]

    async def calls(
        self, tool: str, arguments: Any, result: Any = None, *, request_id: Any = 1
    ) -> Any:
        """Call a tool like a client, and answer like a server."""
        given = {"content": [{"type": "text", "text": "ran"}]} if result is None else result
        params = {"name": tool, "arguments": arguments}
        return await self.asks("tools/call", params, {"result": given}, request_id=request_id)

    @property
    def at_server(self) -> list[Any]:
        return self.got[Side.SERVER]

    @property
    def at_client(self) -> list[Any]:
        return self.got[Side.CLIENT]


Connect = Callable[..., Any]


@pytest.fixture
def connect() -> Connect:
    """Return what opens a session under a manager's policies, for a block."""

    @asynccontextmanager
    async def opened(
        manager: HookManager, server: str | None = None, pins: Pins | None = None
    ) -> AsyncIterator[Wire]:
        wire = Wire(manager, server, pins)
        yield wire
        await wire.session.close()
        await asyncio.sleep(0)

    return opened
