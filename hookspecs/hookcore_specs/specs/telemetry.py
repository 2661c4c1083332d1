"""The point of hookcore's own telemetry."""

from __future__ import annotations

from ..contexts import EventContext
from ..events import HookDispatchedEvent
from ..markers import hookspec
from ..points import Kind

__all__ = ["TelemetrySpecs"]


class TelemetrySpecs:
    """The point at which the dispatcher tells about its own dispatches."""

    @hookspec(kind=Kind.OBSERVE, payload=HookDispatchedEvent, context=EventContext)
    def hook_dispatched(self, ctx: EventContext) -> None:
        """A dispatch that reached at least one hook has ended, whichever way.

        The payload is its :class:`HookDispatchedEvent`: the point, the outcome, who said what and
        how long it took, without payloads and arguments. Nothing can be changed or stopped here,
        and dispatches that a hook causes here yield no events of their own. Functions in the
        process may listen with ``manager.subscribe`` instead.

        Example::

            from hookcore import EventContext, HookManager, ToolCallContext, hookimpl

            class Trail:
                seen = []

                @hookimpl
                def pre_tool_call(self, ctx: ToolCallContext):
                    return None

                @hookimpl
                def hook_dispatched(self, ctx: EventContext):
                    event = ctx.payload
                    self.seen.append((event.interception_point, event.tool, event.outcome))

            manager = HookManager()
            manager.register(Trail())
            manager.dispatch("pre_tool_call", ToolCallContext(tool_name="ls", payload={}))
            assert Trail.seen == [("pre_tool_call", "ls", "proceeded")]
        """
