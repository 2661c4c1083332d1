"""All that the adapters to the client libraries fire and heed; no library is imported."""

from __future__ import annotations

from typing import Final

from hookcore.hosting import CHANNEL_POINTS, MODEL_POINTS, Host, heeds

__all__ = ["ANTHROPIC", "HOSTS", "OPENAI"]

_POINTS = heeds(MODEL_POINTS, ["sync", "async", "stream"])

OPENAI: Final = Host(
    name="openai",
    runtime="openai",
    tested=("2.0", "3.58"),
    points=_POINTS,
    without=CHANNEL_POINTS,
    is_part=True,
    modules=("openai",),
    installer="hookcore_openai:install_openai",
)
"""Model calls through the ``openai`` client: chat completions and responses."""

ANTHROPIC: Final = Host(
    name="anthropic",
    runtime="anthropic",
    tested=("0.60", "2.16"),
    points=_POINTS,
    without=CHANNEL_POINTS,
    is_part=True,
    modules=("anthropic",),
    installer="hookcore_openai:install_anthropic",
)
"""Model calls through the ``anthropic`` client: messages."""

HOSTS: Final = (OPENAI, ANTHROPIC)
"""The hosts of this distribution."""
