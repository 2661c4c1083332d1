"""The compiled loop of async hosts for the most frequent chain with an async hook: that one hook.

It begins the hook's coroutine by hand; see :mod:`hookcore.waiting.begun`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from types import CoroutineType
from typing import Any

from hookcore_specs import HookAborted, HookContext
from hookcore_specs._runtime import ACTIVE, Frame

from ..errors import describe_failure
from ..hooks.hook import Hook
from ..waiting.begun import awaited, begun_rest
from .answers import abort_of, settle
from .loops import NESTED, handle_failure, note_answer, record_failure
from .plan import Plan
from .records import Records
from .services import Services
from .unfinished import Unfinished

__all__ = ["AsyncLoop", "compile_awaited", "ended"]

AsyncLoop = Callable[[HookContext], Coroutine[Any, Any, "Unfinished | None"]]

_get, _set, _reset = ACTIVE.get, ACTIVE.set, ACTIVE.reset


def compile_awaited(services: Services, plan: Plan, hook: Hook) -> AsyncLoop:
    """Return the loop's one pass, with nobody listening.

    Args:
        services: what the manager's parts share.
        plan: the plan of the point.
        hook: an async hook, no gate.
    """
    label, call = plan.label, hook.call

    async def run(ctx: HookContext) -> Unfinished | None:
        if _get() is not None:
            return NESTED
        frame: Frame = [None, hook, services, None, hook]
        token = _set(frame)
        ctx.point = label
        before = ctx.payload
        try:
            answer = call(ctx)
            if type(answer) is CoroutineType:
                try:
                    waits_for = answer.send(None)
                except StopIteration as stop:
                    result = stop.value
                else:
                    result = await begun_rest(answer, waits_for)
            else:
                result = await awaited(answer)
            if result is not None or ctx.payload is not before:
                settle(hook, ctx, result, before)
        except BaseException as error:  # noqa: BLE001 - raised again unless it is allowed
            ctx.payload = before
            ended(services, hook, error, ctx, None, 0.0)
        else:
            if frame[3] is not None:
                note_answer(frame[3], ctx)
        finally:
            frame[1] = None
            try:  # noqa: SIM105 - what `leave` does; each call shows here
                _reset(token)
            except ValueError:
                pass
        return None

    return run


def ended(  # noqa: PLR0917 - what a loop has, at one place of it
    services: Services,
    hook: Hook,
    error: BaseException,
    ctx: HookContext,
    records: Records | None,
    started: float,
) -> None:
    """Record what a hook raised, and raise what ends the dispatch."""
    if not isinstance(error, Exception) or services.passes(error):
        if records is not None:
            records.note(hook, "error", started, failure=describe_failure(error))
        raise error
    if isinstance(error, HookAborted):
        if records is not None:
            records.note(hook, "deny", started, rule=error.rule)
        raise abort_of(hook, error)
    if records is None:
        handle_failure(hook, error, ctx)
    else:
        record_failure(hook, error, records, started, ctx)
