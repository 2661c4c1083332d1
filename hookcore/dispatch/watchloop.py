"""The compiled loop for points whose hooks only watch, all of them plain functions."""

from __future__ import annotations

import _thread
from inspect import isawaitable
from time import perf_counter

from hookcore_specs import HookContext
from hookcore_specs._runtime import ACTIVE, Frame

from ..hooks.hook import Hook
from .answers import settle
from .attempt import Attempt
from .contexts import shielded
from .engine import LISTENER
from .listeners import Listeners, tell
from .loops import NESTED, next_frame
from .plan import Chain, Plan
from .records import Records, make_event
from .services import Services
from .unfinished import Loop, Unfinished

__all__ = ["compile_watching"]

_other_threads = _thread._count
_get, _set, _reset = ACTIVE.get, ACTIVE.set, ACTIVE.reset


def compile_watching(  # noqa: C901 - one flat loop: calls would cost a third of it
    listeners: Listeners | None, services: Services, plan: Plan, chain: Chain
) -> Loop:
    """Return the loop: each hook is told, whatever the others do.

    Args:
        listeners: the subscribed functions, when there are any.
        services: what the manager's parts share.
        plan: the plan of the point.
        chain: a chain of plain functions.
    """
    label, name, calls = plan.label, plan.spec.name, chain.simple
    has_tool = hasattr(plan.spec.options.context, "tool_name")
    heard: Frame = [None, LISTENER, services, None]

    def run(ctx: HookContext) -> Unfinished | None:  # noqa: C901 - the same
        if _get() is not None:
            return NESTED
        frame: Frame = [None, None, services, None]
        token = _set(frame)
        ctx.point = label
        tool = getattr(ctx, "tool_name", None) if has_tool else None
        records = None if listeners is None else Records(tracked=False)
        problem: BaseException | None = None
        try:
            view = shielded(ctx)
            for index, (call, hook) in enumerate(calls):
                if _other_threads():
                    frame = next_frame(frame)
                frame[1] = hook
                started = 0.0 if records is None else perf_counter()
                before = view.payload
                try:
                    result = call(view)
                    if result is not None or view.payload is not before:
                        if isawaitable(result):
                            left = Unfinished(None, chain, frame[3], records, tool)
                            left.watching = (index, (result, before), view, problem)
                            return left
                        settle(hook, view, result, before)
                    if records is not None:
                        records.note(hook, "allow", started)
                except BaseException as error:  # noqa: BLE001 - raised when all have been told
                    ended = _ended(services, records, hook, view, before, error)
                    if ended is not None:
                        problem = services.graver(problem, ended)
            frame[1] = None
            if records is not None and listeners is not None:
                event = make_event(name, ctx, records, problem, tool)
                _set(heard)
                tell(listeners.functions, event)
            if problem is not None:
                raise problem
        finally:
            frame[1] = None
            _reset(token)
        return None

    return run


def _ended(  # noqa: PLR0917 - what the loop has, at one place of it
    services: Services,
    records: Records | None,
    hook: Hook,
    view: HookContext,
    before: object,
    error: BaseException,
) -> BaseException | None:
    """Return what a hook's exception amounts to, by the engine's rule; None when it is ignored."""
    view.payload = before
    attempt = Attempt(services, records or Records(tracked=False), hook, view)
    try:
        attempt.ended(error)
    except BaseException as raised:  # noqa: BLE001 - the caller raises it
        return raised
    return None
