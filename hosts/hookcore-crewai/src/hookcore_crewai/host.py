"""The points that the adapter to CrewAI fires and heeds; CrewAI itself is not imported."""

from __future__ import annotations

from typing import Final

from hookcore import InterceptionPoint as Point
from hookcore.hosting import CHANNEL_POINTS, STAGE_POINTS, Host, heeds

from .hooks import InterceptionPoint

__all__ = ["HOST"]

_FIRED: Final = [point.value for point in InterceptionPoint]
_WITHOUT: Final = tuple(
    point
    # CrewAI tells of a run's inputs and of its output, not of a message and a result besides.
    for point in (*CHANNEL_POINTS, *STAGE_POINTS, "pre_run", "post_run")
    if point not in _FIRED
)
_BEFORE_CHUNKS: Final = (Point.PRE_MODEL_CALL,)

HOST: Final = Host(
    name="crewai",
    runtime="crewai",
    tested=("1.15", "2"),
    points={
        **heeds(_FIRED, ["sync", "async"]),
        # Chunks have left before post_model_call, so that there a stream is only told of.
        **heeds(_BEFORE_CHUNKS, ["sync", "async", "stream"]),
    },
    without=_WITHOUT,
    modules=("crewai",),
    installer="hookcore_crewai:install",
)
"""CrewAI's ten points, in crews, flows and standalone agents."""
