"""The event of a dispatch on its way to subscribed functions and ``hook_dispatched`` hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hookcore_specs import EventContext, HookDispatchedEvent
from hookcore_specs._runtime import ACTIVE, leave

from ..waiting.requests import Steps
from .engine import LISTENER, Dispatch
from .listeners import Listeners, log_listener_failure, tell
from .plan import Plan
from .plans import Plans

__all__ = ["Telling"]


class Telling:
    """Tells the listeners of one manager; what they raise is logged and changes nothing.

    Args:
        plans: the plans in force.
        listeners: the subscribed functions.
    """

    def __init__(self, plans: Plans, listeners: Listeners) -> None:
        self._plans = plans
        self._listeners = listeners

    def emit(self, make: Callable[[], HookDispatchedEvent]) -> Steps | None:
        """Return the steps that tell of an event, or None when nobody listens."""
        plan = self._plans.live.get("hook_dispatched")
        if plan is None and not self._listeners.functions:
            return None
        return self._steps(make(), plan)

    def _steps(self, event: HookDispatchedEvent, plan: Plan | None) -> Steps:
        """Tell the subscribed functions, then the ``hook_dispatched`` hooks."""
        with self._marked():
            tell(self._listeners.functions, event)
            if plan is None:
                return
            ctx = EventContext(
                payload=event,
                run_id=event.run_id,
                parent_run_id=event.parent_run_id,
                session_id=event.session_id,
                call_id=event.call_id,
                agent=event.agent,
            )
            chain = self._plans.resolve(plan, ctx)
            if chain is None:
                return
            dispatch = Dispatch(self._plans.services, plan, chain, ctx, asynchronous=False)
            try:
                yield from dispatch.steps()
            except Exception as error:  # noqa: BLE001 - a listener changes nothing
                log_listener_failure(error)

    @contextmanager
    def _marked(self) -> Iterator[None]:
        # Dispatches that a listener causes find this mark and emit nothing: no loops.
        token = ACTIVE.set([ACTIVE.get(), LISTENER, self._plans.services, None])
        try:
            yield
        finally:
            leave(token)
