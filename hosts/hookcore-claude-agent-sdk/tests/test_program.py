"""``hookctl run`` governs a program that knows nothing of hookcore."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hookcore.hosting.checks import run_governed

PROGRAM = """
import asyncio

from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server, query, tool


@tool("danger", "danger", {"x": str})
async def danger(given):
    raise SystemExit("the tool ran")


options = ClaudeAgentOptions(
    mcp_servers={"office": create_sdk_mcp_server("office", tools=[danger])},
    allowed_tools=["mcp__office__*"],
    setting_sources=[],
    env=ENV,
)


async def main():
    async for message in query(prompt="hi", options=options):
        print(message)


asyncio.run(main())
"""


def test_an_unchanged_program_is_governed(api: Any, options: Any, tmp_path: Path) -> None:
    from hookcore import HookManager

    env = options(HookManager()).env
    api.steps = [[("mcp__office__danger", {"x": "1"})], "done"]
    printed = run_governed(tmp_path, PROGRAM.replace("ENV", repr(env)), "claude-agent-sdk")
    assert "done" in printed
    assert "not allowed by policy" in api.results()[0]
