"""The exception of a tool that failed, which CrewAI tells to its bus and not to its hooks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from ._patches import Patches
from .hooks._calls import ToolCallHookContext

__all__ = ["describe", "patch"]

#: The name and the exception of the tool that failed last in this execution.
_failed: ContextVar[tuple[str, Exception] | None] = ContextVar(
    "hookcore_crewai_failed", default=None
)


def patch(patches: Patches) -> None:
    """Listen to the bus where the events come from: its own listeners run in other threads."""
    from crewai.events.event_bus import CrewAIEventsBus
    from crewai.events.types.tool_usage_events import ToolUsageErrorEvent, ToolUsageEvent

    def noted(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def emit(self: Any, source: Any, event: Any) -> Any:
            if isinstance(event, ToolUsageEvent):
                error = event.error if isinstance(event, ToolUsageErrorEvent) else None
                # What began or succeeded since then has another result than the failed one.
                _failed.set((event.tool_name, error) if isinstance(error, Exception) else None)
            return method(self, source, event)

        return emit

    patches.set(CrewAIEventsBus, "emit", noted(CrewAIEventsBus.emit))


def describe(ctx: Any) -> None:
    """Tell the context of a call that is over how its tool failed."""
    if not isinstance(ctx, ToolCallHookContext) or ctx.tool_result is None:
        return
    failed = _failed.get()
    if failed is not None and failed[0] == ctx.tool_name:
        ctx.error = failed[1]
