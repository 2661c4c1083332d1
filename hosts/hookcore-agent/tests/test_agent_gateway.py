"""Behind a gateway, every point fires that the gateway says it dispatches."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_agent import Agent, ExternalEvent, ScriptedModel, ToolCall
from hookcore_gateway import Gateway, InMemoryChannel


@pytest.mark.asyncio
async def test_a_gateway_declares_what_fires_behind_it(
    manager: HookManager, points: list[tuple[str, Any]], policy: Any
) -> None:
    beaten = asyncio.Event()
    policy("heartbeat_tick", lambda ctx: beaten.set())

    def ping(text: str) -> list[str]:
        """Send an event from outside."""
        return agent.emit_external_event(ExternalEvent(text))

    script = [[ToolCall("ping", {"text": "hello"})], "done"]
    agent = Agent("clerk", ScriptedModel(script), [ping])
    channel = InMemoryChannel()
    async with Gateway(agent, channel, manager, heartbeat=0.01):
        assert (await channel.post("hi").outcome()).status == "replied"
        await beaten.wait()
    assert manager.declaration is not None
    assert set(manager.declaration.points) == {name for name, _ in points}
