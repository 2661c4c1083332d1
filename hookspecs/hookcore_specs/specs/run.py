"""The points of a run."""

from __future__ import annotations

from typing import Any

from ..contexts import RunContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["RunSpecs"]


class RunSpecs:
    """One execution of an agent, a crew or a flow, from its inputs to its end."""

    @hookspec(payload=dict, context=RunContext)
    def execution_start(self, ctx: RunContext) -> dict[str, Any] | None:
        """The run is about to start; the payload is the inputs dict, never None."""

    @hookspec(payload=dict, context=RunContext)
    def input(self, ctx: RunContext) -> dict[str, Any] | None:
        """The inputs as the run will use them; the payload is the inputs dict, never None."""

    @hookspec(context=RunContext)
    def pre_run(self, ctx: RunContext) -> Any:
        """The body of the run is about to begin; the payload is the input message."""

    @hookspec(context=RunContext)
    def post_run(self, ctx: RunContext) -> Any:
        """The body of the run has ended; the payload is its result."""

    @hookspec(context=RunContext)
    def output(self, ctx: RunContext) -> Any:
        """The output is about to be handed out; the payload is the output object."""

    @hookspec(context=RunContext)
    def execution_end(self, ctx: RunContext) -> Any:
        """The run ends, with ``ctx.status`` and ``ctx.error``; the payload is the output object."""

    @hookspec(kind=Kind.OBSERVE, context=RunContext)
    def run_finished(self, ctx: RunContext) -> None:
        """The run is over, exactly once; the payload is the result, or None."""
