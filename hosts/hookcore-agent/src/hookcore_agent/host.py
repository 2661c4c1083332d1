"""The points that the agent fires and heeds, said once."""

from __future__ import annotations

from typing import Final

from hookcore import InterceptionPoint as Point
from hookcore.hosting import Host, heeds

__all__ = ["HOST"]

_ABSENT: Final = (
    Point.GATEWAY_START,
    Point.GATEWAY_STOP,
    Point.HEARTBEAT_TICK,
    Point.SESSION_START,
    Point.SESSION_END,
    Point.MESSAGE_RECEIVED,
    Point.MESSAGE_SENDING,
    Point.MESSAGE_SENT,
    Point.PRE_STEP,
    Point.POST_STEP,
    Point.STEP_FINISHED,
)
_STREAMED: Final = (
    Point.PRE_MODEL_CALL,
    Point.WRAP_MODEL_CALL,
    Point.MODEL_INPUT,
    Point.POST_MODEL_CALL,
    Point.MODEL_OUTPUT,
    Point.MODEL_FINISHED,
)
_ELSE: Final = [
    point
    for point in Point
    if point not in {*_ABSENT, *_STREAMED} and point is not Point.HOOK_DISPATCHED
]

HOST: Final = Host(
    name="agent",
    runtime="hookcore-agent",
    points={**heeds(_ELSE, ["async"]), **heeds(_STREAMED, ["async", "stream"])},
    without=_ABSENT,
)
"""The agent: asyncio throughout, and every model call a stream inside."""
