"""All that the adapter to Microsoft's Agent Framework fires and heeds; it is not imported."""

from __future__ import annotations

from typing import Final

from hookcore.hosting import (
    CHANNEL_POINTS,
    MODEL_POINTS,
    RUN_POINTS,
    STAGE_POINTS,
    TOOL_POINTS,
    Host,
    heeds,
)

__all__ = ["HOST"]

HOST: Final = Host(
    name="agent-framework",
    runtime="agent-framework-core",
    tested=("1.21", "1.24"),
    points={
        **heeds(TOOL_POINTS, ["async"]),
        **heeds((*RUN_POINTS, *MODEL_POINTS), ["async", "stream"]),
    },
    without=(*CHANNEL_POINTS, *STAGE_POINTS),
    modules=("agent_framework",),
    installer="hookcore_agent_framework:install",
)
"""Runs, model calls and function tools of agents, and of chat clients without an agent."""
