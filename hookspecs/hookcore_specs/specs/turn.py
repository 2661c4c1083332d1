"""The points of a turn."""

from __future__ import annotations

from typing import Any

from ..contexts import TurnContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["TurnSpecs"]


class TurnSpecs:
    """The model's answer and the tool calls that it asks for."""

    @hookspec(payload=list, context=TurnContext)
    def pre_turn(self, ctx: TurnContext) -> list[Any] | None:
        """A turn is about to begin; the payload is its messages."""

    @hookspec(context=TurnContext)
    def post_turn(self, ctx: TurnContext) -> Any:
        """A turn has ended; the payload is the assistant message that opened it."""

    @hookspec(kind=Kind.OBSERVE, context=TurnContext)
    def turn_finished(self, ctx: TurnContext) -> None:
        """A turn is over, exactly once, with ``ctx.status``; no payload."""
