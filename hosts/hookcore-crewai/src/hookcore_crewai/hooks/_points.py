"""The ten points of CrewAI, by its names, and what kind of value each is about."""

from __future__ import annotations

from enum import Enum

__all__ = ["AFTER_CALL_POINTS", "CALL_POINTS", "EXECUTION_BOUNDARY_POINTS", "InterceptionPoint"]


class InterceptionPoint(str, Enum):
    """The points that CrewAI dispatches; members equal hookcore's points of the same names."""

    EXECUTION_START = "execution_start"
    INPUT = "input"
    OUTPUT = "output"
    EXECUTION_END = "execution_end"
    PRE_MODEL_CALL = "pre_model_call"
    POST_MODEL_CALL = "post_model_call"
    PRE_TOOL_CALL = "pre_tool_call"
    POST_TOOL_CALL = "post_tool_call"
    PRE_STEP = "pre_step"
    POST_STEP = "post_step"


EXECUTION_BOUNDARY_POINTS: frozenset[InterceptionPoint] = frozenset(
    {
        InterceptionPoint.EXECUTION_START,
        InterceptionPoint.INPUT,
        InterceptionPoint.OUTPUT,
        InterceptionPoint.EXECUTION_END,
    }
)
"""The points at which a run begins and ends."""

AFTER_CALL_POINTS: frozenset[str] = frozenset({"post_model_call", "post_tool_call"})
"""Points where the payload of a call is its result."""

CALL_POINTS: frozenset[str] = frozenset({"pre_model_call", "pre_tool_call", *AFTER_CALL_POINTS})
"""The points around model and tool calls, whose hooks answer in the older way."""
