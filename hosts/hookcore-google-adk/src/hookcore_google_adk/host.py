"""All that the adapter to Google's ADK fires and heeds; the ADK itself is not imported."""

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
    name="google-adk",
    runtime="google-adk",
    tested=("2.10", "2.14"),
    points={
        **heeds(TOOL_POINTS, ["async"]),
        **heeds((*RUN_POINTS, *MODEL_POINTS), ["async", "stream"]),
    },
    without=(*CHANNEL_POINTS, *STAGE_POINTS),
    modules=(
        "google.adk.models.base_llm",
        "google.adk.tools.base_tool",
        "google.adk.runners",
    ),
    installer="hookcore_google_adk:install",
)
"""Runs, model calls and tools of agents, however they are started."""
