"""All that the proxy for model traffic fires and heeds."""

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
    name="model-proxy",
    runtime="hookcore-bridge",
    points=heeds(MODEL_POINTS, ["async", "stream"]),
    without=(
        *CHANNEL_POINTS,
        *RUN_POINTS,
        *TOOL_POINTS,
        "setup_tools",
        *STAGE_POINTS,
    ),
)
"""Model calls, and nothing else: tools run where nobody here can see them."""
