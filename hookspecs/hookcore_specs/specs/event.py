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
        """A plugin published an event to the other plugins.

        The payload is that event, of any type; who publishes and who listens agree on its shape.
        Nothing can be changed or stopped here. A plugin that publishes from its own
        ``extension_event`` hook is not called again by that.

        Example::

            from hookcore import EventContext, HookManager, hookimpl

            class Budget:
                def __init__(self):
                    self.spent = 0

                @hookimpl
                def extension_event(self, ctx: EventContext):
                    if ctx.payload["type"] == "cost":
                        self.spent += ctx.payload["cents"]

            budget, manager = Budget(), HookManager()
            manager.register(budget)
            event = EventContext(payload={"type": "cost", "cents": 3})
            manager.dispatch("extension_event", event)
            assert budget.spent == 3
        """

    @hookspec(kind=Kind.COLLECT, payload=bool, context=EventContext)
    def accept_event(self, ctx: EventContext) -> bool | None:
        """An event came from outside, maybe on another thread: who takes it?

        The payload is the event. All hooks are asked, and ``manager.collect`` names the plugins
        that took it. ``True`` takes the event; ``False`` and ``None`` do not. Nobody can replace
        it or abort: a hook that raises has not accepted, and the others are still asked. Hooks are
        plain functions and quick ones: they note the event and leave the work to another thread.

        Example::

            from queue import SimpleQueue
            from hookcore import EventContext, HookManager, hookimpl

            class Webhooks:
                def __init__(self):
                    self.queue = SimpleQueue()

                @hookimpl
                def accept_event(self, ctx: EventContext):
                    if ctx.payload["source"] == "webhook":
                        self.queue.put(ctx.payload)
                        return True

            manager = HookManager()
            manager.register(Webhooks(), name="webhooks")
            event = EventContext(payload={"source": "webhook", "body": "ping"})
            assert manager.collect("accept_event", event) == ["webhooks"]
        """
