"""All that the interceptor fires and heeds; the SDK of AGENT-HOOKS is not imported."""

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
    name="agent-hooks",
    runtime="agent-hooks-sdk",
    tested=("0.1.0b3", "0.2"),
    points=heeds((*RUN_POINTS, *MODEL_POINTS, *TOOL_POINTS), ["async"]),
    without=(*CHANNEL_POINTS, *STAGE_POINTS),
)
"""The runs, model calls and tools of a runtime that asks interceptors."""
