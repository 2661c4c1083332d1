"""The points that the gateway fires and heeds, with the agents behind it, said once."""

from __future__ import annotations

from typing import Final

from hookcore import InterceptionPoint as Point
from hookcore.hosting import Host, heeds
from hookcore_agent.host import HOST as AGENT

__all__ = ["HOST"]

_STEPS: Final = (Point.PRE_STEP, Point.POST_STEP, Point.STEP_FINISHED)
_OWN: Final = [point for point in AGENT.without if point not in _STEPS]

HOST: Final = Host(
    name="gateway",
    runtime="hookcore-gateway",
    points={**AGENT.points, **heeds(_OWN, ["async"])},
    without=_STEPS,
)
"""The gateway: messages, sessions and a heartbeat around the reference agent."""
