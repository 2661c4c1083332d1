"""The points that the adapter to CrewAI fires and heeds; CrewAI itself is not imported."""

from __future__ import annotations

from typing import Final

from hookcore import InterceptionPoint as Point
from hookcore.hosting import Host, heeds

from .hooks import InterceptionPoint

__all__ = ["HOST"]

_WITHOUT: Final = (
    Point.GATEWAY_START,
    Point.GATEWAY_STOP,
    Point.HEARTBEAT_TICK,
    Point.SESSION_START,
    Point.SESSION_END,
    Point.MESSAGE_RECEIVED,
    Point.MESSAGE_SENDING,
    Point.MESSAGE_SENT,
)
_BEFORE_CHUNKS: Final = (Point.PRE_MODEL_CALL,)

HOST: Final = Host(
    name="crewai",
    runtime="crewai",
    tested=("1.15", "2"),
    points={
        **heeds([point.value for point in InterceptionPoint], ["sync", "async"]),
        # Chunks have left before post_model_call, so that there a stream is only told of.
        **heeds(_BEFORE_CHUNKS, ["sync", "async", "stream"]),
    },
    without=_WITHOUT,
    modules=("crewai",),
    installer="hookcore_crewai:install",
)
"""CrewAI's ten points, in crews, flows and standalone agents."""
