"""All that the adapter to the OpenAI Agents SDK fires and heeds; the SDK itself is not imported."""

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
    name="openai-agents",
    runtime="openai-agents",
    tested=("0.23.1", "0.25"),
    points={
        **heeds(TOOL_POINTS, ["async"]),
        **heeds((*RUN_POINTS, *MODEL_POINTS), ["async", "stream"]),
    },
    without=(*CHANNEL_POINTS, *STAGE_POINTS),
    modules=("agents",),
    installer="hookcore_openai_agents:install",
)
"""Runs, model calls and function tools of agents, however they are started."""
