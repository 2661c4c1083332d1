"""All that the adapter to the Claude Agent SDK fires and heeds; the SDK itself is not imported."""

from __future__ import annotations

from typing import Final

from hookcore.hosting import CHANNEL_POINTS, RUN_POINTS, STAGE_POINTS, TOOL_POINTS, Host, heeds

__all__ = ["HOST"]

HOST: Final = Host(
    name="claude-agent-sdk",
    runtime="claude-agent-sdk",
    tested=("0.2.180", "0.2.190"),
    points=heeds((*RUN_POINTS, *TOOL_POINTS), ["async"]),
    without=(*CHANNEL_POINTS, *STAGE_POINTS),
    modules=("claude_agent_sdk",),
    installer="hookcore_claude_agent_sdk:install",
)
"""Runs and tools; of the requests to the model, which the client makes, it sees nothing."""
