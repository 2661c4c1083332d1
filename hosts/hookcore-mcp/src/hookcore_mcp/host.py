"""All that the adapters to MCP fire and heed; neither the SDK nor FastMCP is imported."""

from __future__ import annotations

from typing import Final

from hookcore.hosting import CHANNEL_POINTS, MODEL_POINTS, RUN_POINTS, TOOL_POINTS, Host, heeds

__all__ = ["FASTMCP", "HOST"]

_STEP_POINTS: Final = ("pre_step", "post_step", "step_finished")
_WITHOUT: Final = (
    *CHANNEL_POINTS,
    *RUN_POINTS,
    "setup_state",
    "setup_message",
    "pre_turn",
    "post_turn",
    "turn_finished",
    "prompt_build",
    "model_resolve",
)

HOST: Final = Host(
    name="mcp",
    runtime="mcp",
    tested=("2.0", "2.4"),
    points=heeds((*TOOL_POINTS, *MODEL_POINTS, *_STEP_POINTS), ["async"]),
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
    points=heeds((*TOOL_POINTS, *_STEP_POINTS), ["async"]),
    without=(*_WITHOUT, *MODEL_POINTS),
    modules=("fastmcp",),
    installer="hookcore_mcp:install_fastmcp",
)
"""Tool calls, resources and prompts, as FastMCP's servers carry them out."""
