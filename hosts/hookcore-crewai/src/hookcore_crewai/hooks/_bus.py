"""hookcore's events on CrewAI's own bus, where the drop-in serves CrewAI's runtime."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from weakref import WeakSet

from hookcore import HookDispatchedEvent, HookManager

__all__ = ["connect", "connect_if_serving"]

_connected: WeakSet[HookManager] = WeakSet()
_PACKAGE = __name__.rpartition(".")[0]


class Source:
    """The object that CrewAI's bus is told the events come from."""


def connect(manager: HookManager) -> Callable[[], None]:
    """Emit each of a manager's events on CrewAI's bus; return what ends that."""
    if manager in _connected:
        return _nothing
    bus = importlib.import_module("crewai.events.event_bus").crewai_event_bus
    events = importlib.import_module("crewai.events.types.hook_events")
    source = Source()
    names_agents = "agent_role" in getattr(events.HookDispatchedEvent, "model_fields", ())

    def emit(event: HookDispatchedEvent) -> None:
        more = {"agent_role": event.agent} if names_agents else {}
        bus.emit(
            source,
            event=events.HookDispatchedEvent(
                interception_point=event.interception_point,
                outcome=event.outcome,
                hook_count=event.hook_count,
                duration_ms=event.duration_ms,
                abort_reason=event.abort_reason,
                abort_source=event.abort_source,
                **more,
            ),
        )

    unsubscribe = manager.subscribe(emit)
    _connected.add(manager)

    def disconnect() -> None:
        unsubscribe()
        _connected.discard(manager)

    return disconnect


def _nothing() -> None:
    """Leave a connection to whoever made it."""


def connect_if_serving(manager: HookManager) -> None:
    """Connect a manager, once, when somebody has put the drop-in in the place of CrewAI's hooks.

    That may be done without the host adapter: by an import hook, or by hand in ``sys.modules``.
    """
    served = sys.modules.get("crewai.hooks")
    ours = served is not None and served is sys.modules.get(_PACKAGE)
    if ours and "crewai.events.event_bus" in sys.modules and manager not in _connected:
        connect(manager)
