"""``hookctl run`` governs a program that knows nothing of hookcore."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookcore.hosting.checks import run_governed

PROGRAM = """
import asyncio
from agent_framework import (
    Agent, BaseChatClient, ChatMiddlewareLayer, ChatResponse, Content, FunctionInvocationLayer,
    FunctionTool, Message,
)


def danger(x: str) -> str:
    raise SystemExit("the tool ran")


class Fake(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    asked = 0

    async def _inner_get_response(self, *, messages, stream, options, **more):
        self.asked += 1
        print([message.to_dict() for message in messages])
        call = Content.from_function_call("c0", "danger", arguments={"x": "1"})
        answer = call if self.asked == 1 else Content.from_text("done")
        return ChatResponse(messages=[Message("assistant", [answer])])


tool = FunctionTool(name="danger", description="d", func=danger)
asyncio.run(Agent(Fake(), tools=[tool]).run("hi"))
"""


def test_an_unchanged_program_is_governed(tmp_path: Path) -> None:
    pytest.importorskip(
        "agent_framework",
        reason="agent-framework-core is not installed: see .ci/hosts/agent-framework.txt",
    )
    printed = run_governed(tmp_path, PROGRAM, "agent-framework")
    assert "denied by tool-policy" in printed
