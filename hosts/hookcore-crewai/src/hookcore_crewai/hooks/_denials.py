"""The text of a denial for the model, on its way from before the tool call to after it.

CrewAI's runtime keeps of a denial only that there was one, and makes a result of it in words of
its own, which it shows to the hooks after the call. There the policy's words take their place.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

__all__ = ["denied", "message_of"]

_last: ContextVar[tuple[str, Any, str] | None] = ContextVar("hookcore_crewai_denial", default=None)


def denied(ctx: Any, message: str) -> None:
    """Keep what the denial of a call says to the model."""
    _last.set((ctx.tool_name, ctx.tool_input, message))


def message_of(ctx: Any) -> str | None:
    """Return what the denial of this call says to the model, once; None when it was not denied."""
    kept = _last.get()
    if kept is None:
        return None
    _last.set(None)
    name, arguments, message = kept
    same = name == ctx.tool_name and arguments is ctx.tool_input
    return message if same else None
