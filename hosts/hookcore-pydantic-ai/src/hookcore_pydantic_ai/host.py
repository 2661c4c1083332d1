"""All that the adapter to pydantic-ai fires and heeds; pydantic-ai itself is not imported."""

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
    name="pydantic-ai",
    runtime="pydantic-ai-slim",
    tested=("2.62", "2.69"),
    points={
        **heeds((*RUN_POINTS, *TOOL_POINTS), ["async"]),
        **heeds(MODEL_POINTS, ["async", "stream"]),
    },
    without=(*CHANNEL_POINTS, *STAGE_POINTS),
    modules=("pydantic_ai",),
    installer="hookcore_pydantic_ai:install",
)
"""Runs, model requests and tool calls of agents, however they are started."""
