"""The moments of a run that tests look at."""

from __future__ import annotations

from typing import Any

from hookctl.replay.walk import walk


def tools(run: Any) -> list[tuple[str, str, object]]:
    """Return the point, the tool's name and the payload of each moment of a tool."""
    return [
        (moment.point, moment.operation.call.name if moment.operation.call else "", moment.payload)
        for moment in walk(run)
        if moment.point.endswith("tool_call")
    ]
