"""All that the proxies for MCP fire and heed."""

from __future__ import annotations

from typing import Final

from hookcore.hosting import CHANNEL_POINTS, MODEL_POINTS, RUN_POINTS, TOOL_POINTS, Host, heeds

__all__ = ["HOST"]

_STEPS: Final = ("pre_step", "post_step", "step_finished")

HOST: Final = Host(
    name="mcp-proxy",
    runtime="hookcore-bridge",
    points={
        **heeds(("setup_tools", *TOOL_POINTS, *MODEL_POINTS, *_STEPS), ["async"]),
        **heeds(["tool_offered"], ["async"], ["abort"]),
    },
    without=(
        *CHANNEL_POINTS,
        *RUN_POINTS,
        "setup_state",
        "setup_message",
        "pre_turn",
        "post_turn",
        "turn_finished",
        "prompt_build",
        "model_resolve",
    ),
)
"""Tool calls and lists of tools; sampling is a model call; the rest of what is judged are steps."""
