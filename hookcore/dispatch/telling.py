"""The event of a dispatch on its way to subscribed functions and ``hook_dispatched`` hooks."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hookcore_specs import EventContext, HookDispatchedEvent
from hookcore_specs._runtime import ACTIVE, HOOK, Frame, leave

from ..errors import WrongResultError
from ..hooks.hook import Hook
from ..waiting.requests import Steps
from .answers import log_failure
from .engine import LISTENER, Dispatch
from .listeners import Listener, Listeners, log_listener_failure, tell
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
            if plan is None or self._listeners.functions != self._listeners.subscribed:
                return
            ctx = _context_of(event, event)
            chain = self._plans.resolve(plan, ctx)
            if chain is None:
                return
            dispatch = Dispatch(self._plans.services, plan, chain, ctx, asynchronous=False)
            try:
                yield from dispatch.steps()
            except Exception as error:  # noqa: BLE001 - a listener changes nothing
                log_listener_failure(error)

    def teller(self, plan: Plan) -> Listener | None:
        """Return a function that tells plain hooks of an event; None for hooks of other kinds."""
        services, listeners, label = self._plans.services, self._listeners, plan.label
        if plan.scoped or any(not hook.plain or hook.by_agent for hook in plan.hooks):
            return None
        calls = tuple((hook.call, hook) for hook in plan.hooks)

        def told(event: HookDispatchedEvent) -> None:
            # The subscribed functions may keep theirs.
            given = copy.copy(event) if listeners.subscribed else event
            ctx = _context_of(event, given)
            ctx.point = label
            outer = ACTIVE.get()
            for call, hook in calls:
                frame: Frame = [outer, hook, services, None]
                token = ACTIVE.set(frame)
                try:
                    result = call(ctx)
                    if result is not None or ctx.payload is not given:
                        ctx.payload = given
                        _refuse_answer(hook, result)
                except services.control_flow:
                    raise
                except Exception as error:  # noqa: BLE001 - a listener changes nothing
                    log_failure(hook, error, "the dispatch goes on", ctx)
                finally:
                    frame[HOOK] = None
                    leave(token)

        return told

    @contextmanager
    def _marked(self) -> Iterator[None]:
        # Dispatches that a listener causes find this mark and emit nothing: no loops.
        token = ACTIVE.set([ACTIVE.get(), LISTENER, self._plans.services, None])
        try:
            yield
        finally:
            leave(token)


def _context_of(event: HookDispatchedEvent, payload: HookDispatchedEvent) -> EventContext:
    return EventContext(
        payload=payload,
        run_id=event.run_id,
        parent_run_id=event.parent_run_id,
        session_id=event.session_id,
        call_id=event.call_id,
        agent=event.agent,
    )


def _refuse_answer(hook: Hook, result: object) -> None:
    if inspect.iscoroutine(result):
        result.close()
    raise WrongResultError(f"a hook at {hook.spec.name} observes and returns nothing")
