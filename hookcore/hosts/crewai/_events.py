"""hookcore's events on CrewAI's own bus."""

from __future__ import annotations

from collections.abc import Callable

from hookcore import HookDispatchedEvent, HookManager

__all__ = ["connect"]


class Source:
    """What CrewAI's bus is told that the events come from."""


def connect(manager: HookManager) -> Callable[[], None]:
    """Emit each of a manager's events on CrewAI's bus; return what ends that."""
    from crewai.events.event_bus import crewai_event_bus
    from crewai.events.types import hook_events

    source = Source()

    def emit(event: HookDispatchedEvent) -> None:
        crewai_event_bus.emit(
            source,
            event=hook_events.HookDispatchedEvent(
                interception_point=event.interception_point,
                outcome=event.outcome,
                hook_count=event.hook_count,
                duration_ms=event.duration_ms,
                abort_reason=event.abort_reason,
                abort_source=event.abort_source,
                agent_role=event.agent,
            ),
        )

    return manager.subscribe(emit)
