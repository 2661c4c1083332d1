"""The point of hookcore's own telemetry."""

from __future__ import annotations

from ..contexts import EventContext
from ..events import HookDispatchedEvent
from ..markers import hookspec
from ..points import Kind

__all__ = ["TelemetrySpecs"]


class TelemetrySpecs:
    """What the dispatcher tells about its own dispatches."""

    @hookspec(kind=Kind.OBSERVE, payload=HookDispatchedEvent, context=EventContext)
    def hook_dispatched(self, ctx: EventContext) -> None:
        """A dispatch reached at least one hook; the payload is its HookDispatchedEvent."""
