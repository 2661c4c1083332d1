"""All that the adapter to LangChain fires and heeds; LangChain itself is not imported."""

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
    name="langchain",
    runtime="langchain",
    tested=("1.0", "1.6"),
    points={
        **heeds(TOOL_POINTS, ["sync", "async"]),
        **heeds((*RUN_POINTS, *MODEL_POINTS), ["sync", "async", "stream"]),
    },
    without=(*CHANNEL_POINTS, *STAGE_POINTS),
    modules=(
        "langchain_core.language_models.chat_models",
        "langgraph.prebuilt.tool_node",
        "langchain.agents",
    ),
    installer="hookcore_langchain:install",
)
"""Runs, model calls and tool calls of agents and of tool nodes."""
