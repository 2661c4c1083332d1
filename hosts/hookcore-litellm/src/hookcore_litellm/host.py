"""All that the adapter to LiteLLM fires and heeds; LiteLLM itself is not imported."""

from __future__ import annotations

from typing import Final

from hookcore.hosting import CHANNEL_POINTS, MODEL_POINTS, Host, heeds

__all__ = ["HOST"]

HOST: Final = Host(
    name="litellm",
    runtime="litellm",
    tested=("1.110", "1.111"),
    points=heeds(MODEL_POINTS, ["sync", "async", "stream"]),
    without=CHANNEL_POINTS,
    is_part=True,
    modules=("litellm",),
    installer="hookcore_litellm:install",
)
"""Chat completions, responses and messages of every provider, and of the Router."""
