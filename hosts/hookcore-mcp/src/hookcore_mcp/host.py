"""All that the adapters to MCP fire and heed; neither the SDK nor FastMCP is imported."""

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

__all__ = ["FASTMCP", "HOST"]

_WITHOUT: Final = (
    *CHANNEL_POINTS,
    *RUN_POINTS,
    *(point for point in STAGE_POINTS if point not in STEP_POINTS),
)

HOST: Final = Host(
    name="mcp",
    runtime="mcp",
    tested=("2.0", "2.4"),
    points=heeds((*TOOL_POINTS, *MODEL_POINTS, *STEP_POINTS), ["async"]),
    without=_WITHOUT,
    modules=("mcp",),
    installer="hookcore_mcp:install_all",
)
"""Tool calls, resources and prompts, as servers carry them out and as clients ask for them; model
calls are sampling."""

FASTMCP: Final = Host(
    name="fastmcp",
    runtime="fastmcp",
    tested=("4.0", "4.3"),
    points=heeds((*TOOL_POINTS, *STEP_POINTS), ["async"]),
    without=(*_WITHOUT, *MODEL_POINTS),
    modules=("fastmcp",),
    installer="hookcore_mcp:install_fastmcp",
)
"""Tool calls, resources and prompts, as FastMCP's servers carry them out."""
