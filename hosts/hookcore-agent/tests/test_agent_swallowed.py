"""A cancellation that a hook swallows ends the request all the same, before anything new begins."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_agent import Agent, ScriptedModel, ToolCall

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("point", "asked"),
    [
        ("setup_message", 0),
        ("input", 0),
        ("pre_turn", 0),
        ("model_resolve", 0),
        ("pre_model_call", 0),
        ("post_model_call", 1),
        ("pre_tool_call", 1),
    ],
)
async def test_nothing_begins_behind_a_hook_that_swallowed_a_cancellation(
    point: str, asked: int, manager: HookManager, points: list[tuple[str, Any]], policy: Any
) -> None:
    reached, ran = asyncio.Event(), []

    async def stubborn(ctx: Any) -> None:
        reached.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    def add() -> None:
        """Note that it ran."""
        ran.append("tool")

    policy(point, stubborn)
    model = ScriptedModel([[ToolCall("add")], "done"])
    task = asyncio.ensure_future(Agent("a", model, [add], hooks=manager).run("hi"))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (len(model.requests), ran) == (asked, [])
    begun = {name for name, _ in points}
    ends = [name for name, status in points if name.endswith("_finished") and status != "ok"]
    assert all(status == "cancelled" for name, status in points if name in ends)
    assert len(ends) == len(set(ends))
    assert ("run_finished" in ends) == ("execution_start" in begun)
