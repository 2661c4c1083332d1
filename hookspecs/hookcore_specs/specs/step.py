"""The points of a step."""

from __future__ import annotations

from typing import Any

from ..contexts import StepContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["StepSpecs"]


class StepSpecs:
    """One task of a crew, or one method of a flow (``ctx.kind``, ``ctx.step_name``)."""

    @hookspec(context=StepContext)
    def pre_step(self, ctx: StepContext) -> Any:
        """A step is about to begin; the payload is its input."""

    @hookspec(context=StepContext)
    def post_step(self, ctx: StepContext) -> Any:
        """A step has ended; the payload is its output."""

    @hookspec(kind=Kind.OBSERVE, context=StepContext)
    def step_finished(self, ctx: StepContext) -> None:
        """A step is over, exactly once, with ``ctx.status``; no payload."""
