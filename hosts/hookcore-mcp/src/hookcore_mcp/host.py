"""All that the adapter to MCP fires and heeds; the SDK itself is not imported."""

from __future__ import annotations

from typing import Final

from hookcore.hosting import CHANNEL_POINTS, MODEL_POINTS, RUN_POINTS, TOOL_POINTS, Host, heeds

__all__ = ["HOST"]

HOST: Final = Host(
    name="mcp",
    runtime="mcp",
    tested=("2.0", "2.4"),
    points=heeds((*TOOL_POINTS, *MODEL_POINTS), ["async"]),
    without=(*CHANNEL_POINTS, *RUN_POINTS),
    modules=("mcp",),
    installer="hookcore_mcp:install_all",
)
"""Tool calls, as servers carry them out and as clients ask for them; model calls are sampling."""
