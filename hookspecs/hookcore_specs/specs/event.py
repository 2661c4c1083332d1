"""The points of events."""

from __future__ import annotations

from ..contexts import EventContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["EventSpecs"]


class EventSpecs:
    """Events between plugins, and from outside."""

    @hookspec(kind=Kind.OBSERVE, context=EventContext)
    def extension_event(self, ctx: EventContext) -> None:
        """A plugin published an event to the plugins; the payload is that event."""

    @hookspec(kind=Kind.COLLECT, payload=bool, context=EventContext)
    def accept_event(self, ctx: EventContext) -> bool | None:
        """An event came from outside, maybe on another thread; True takes it."""
