"""All that the adapter to Strands Agents fires and heeds; Strands itself is not imported."""

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
    name="strands",
    runtime="strands-agents",
    tested=("1.58", "1.63"),
    points={
        **heeds(TOOL_POINTS, ["async"]),
        **heeds((*RUN_POINTS, *MODEL_POINTS), ["async", "stream"]),
    },
    without=(*CHANNEL_POINTS, *STAGE_POINTS),
    modules=("strands",),
    installer="hookcore_strands:install",
)
"""Runs, model calls and tools of agents, however they are started."""
