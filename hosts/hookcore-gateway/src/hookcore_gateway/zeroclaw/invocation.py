"""The tool call that a handler is told of: an id that its before and its end share."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from hookcore_specs import ToolCallContext

__all__ = ["ToolCallHookContext"]

_KEY = "zeroclaw.invocation"


@dataclass(frozen=True, slots=True)
class ToolCallHookContext:
    """Names one tool call.

    Args:
        invocation_id: the id; no other call has it.
        correlated: whether the call's end has the same id as its beginning.
    """

    invocation_id: str
    correlated: bool = True

    @classmethod
    def new(cls, invocation_id: str) -> ToolCallHookContext:
        """Return a context whose id holds from the call's beginning to its end."""
        return cls(invocation_id)

    @classmethod
    def uncorrelated(cls, invocation_id: str) -> ToolCallHookContext:
        """Return a context whose id holds for this notice only."""
        return cls(invocation_id, correlated=False)

    @classmethod
    def of_call(cls, turn_id: str, iteration: int, call_index: int) -> ToolCallHookContext:
        """Return the context of a call by its place.

        Args:
            turn_id: the turn.
            iteration: which model call of the turn asked for it, from 0.
            call_index: which call of that answer it is, from 0.
        """
        return cls(f"{turn_id}:{iteration}:{call_index}")


def fresh() -> ToolCallHookContext:
    """Return an uncorrelated context with an id that no other has, in any runner."""
    return ToolCallHookContext.uncorrelated(f"uncorrelated:{uuid.uuid4().hex}")


def attributes(context: ToolCallHookContext) -> dict[str, ToolCallHookContext]:
    """Return what carries the context through a dispatch."""
    return {_KEY: context}


def begun(ctx: ToolCallContext) -> ToolCallHookContext:
    """Return the context of a call at its beginning, giving it an id if it has none.

    Args:
        ctx: the context at ``pre_tool_call``.
    """
    found = ctx.attributes.get(_KEY)
    if isinstance(found, ToolCallHookContext):
        return found
    # The ids of models repeat, so by themselves they name no call.
    place = f"{ctx.run_id or '-'}:{ctx.call_id or '-'}"
    made = ToolCallHookContext.new(f"{place}:{uuid.uuid4().hex[:12]}")
    # In a dict of the call's own: the host may give one dict to many.
    ctx.attributes = {**ctx.attributes, _KEY: made}
    return made


def ended(ctx: ToolCallContext) -> ToolCallHookContext:
    """Return the context of a call at its end.

    Args:
        ctx: the context at ``tool_finished``.
    """
    found = ctx.attributes.get(_KEY)
    return found if isinstance(found, ToolCallHookContext) else fresh()
