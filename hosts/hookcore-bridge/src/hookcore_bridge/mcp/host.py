"""All that the proxies for MCP fire and heed."""

from __future__ import annotations

from typing import Final

from hookcore.hosting import (
    CHANNEL_POINTS,
    MODEL_POINTS,
    RUN_POINTS,
    STAGE_POINTS,
    STEP_POINTS,
    TOOL_POINTS,
    Host,
    heeds,
)

__all__ = ["HOST"]

HOST: Final = Host(
    name="mcp-proxy",
    runtime="hookcore-bridge",
    points={
        **heeds(("setup_tools", *TOOL_POINTS, *MODEL_POINTS, *STEP_POINTS), ["async"]),
        **heeds(["tool_offered"], ["async"], ["abort"]),
    },
    without=(
        *CHANNEL_POINTS,
        *RUN_POINTS,
        *(point for point in STAGE_POINTS if point not in STEP_POINTS),
    ),
)
"""Tool calls and lists of tools; sampling is a model call; the rest of what is judged are steps."""
