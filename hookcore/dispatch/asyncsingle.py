"""The compiled loop of async hosts for the most frequent chain with an async hook: that one hook.

It begins the hook's coroutine by hand; see :mod:`hookcore.waiting.begun`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from contextvars import Token
from inspect import CO_COROUTINE
from typing import Any

from hookcore_specs import HookAborted, HookContext
from hookcore_specs._runtime import ACTIVE, Frame, leave

from ..errors import describe_failure
from ..hooks.hook import Hook
from ..waiting.begun import begun_rest
from .answers import abort_of, settle
from .loops import NESTED, handle_failure, note_answer, record_failure
from .plan import Plan
from .records import Records
from .services import Services
from .unfinished import AsyncLoop, Unfinished

__all__ = ["compile_awaited", "ended", "is_coroutine_function"]

_get, _set, _reset = ACTIVE.get, ACTIVE.set, ACTIVE.reset


def compile_awaited(  # noqa: C901 - flat: calls would cost a third of it
    services: Services, plan: Plan, hook: Hook
) -> AsyncLoop:
    """Return the loop's one pass, with nobody listening.

    Args:
        services: what the manager's parts share.
        plan: the plan of the point.
        hook: a hook that :func:`is_coroutine_function` is true of, no gate.
    """
    label, call = plan.label, hook.call

    def run(ctx: HookContext) -> Unfinished | Coroutine[Any, Any, None] | None:
        if _get() is not None:
            return NESTED
        frame: Frame = [None, hook, services, None, hook]
        token = _set(frame)
        ctx.point = label
        before = ctx.payload
        waits = False
        try:
            begun = call(ctx)
            try:
                waits_for = begun.send(None)
            except StopIteration as stop:
                result = stop.value
            else:
                waits = True
                return rest(ctx, begun_rest(begun, waits_for), before, frame, token)
            if result is not None or ctx.payload is not before:
                settle(hook, ctx, result, before)
        except BaseException as error:  # noqa: BLE001 - raised again unless it is allowed
            ctx.payload = before
            ended(services, hook, error, ctx, None, 0.0)
        else:
            if frame[3] is not None:
                note_answer(frame[3], ctx)
        finally:
            if not waits:
                frame[1] = None
                _reset(token)
        return None

    async def rest(
        ctx: HookContext, answer: Awaitable[Any], before: Any, frame: Frame, token: Token[Any]
    ) -> None:
        try:
            result = await answer
            if result is not None or ctx.payload is not before:
                settle(hook, ctx, result, before)
        except BaseException as error:  # noqa: BLE001 - the same
            ctx.payload = before
            ended(services, hook, error, ctx, None, 0.0)
        else:
            if frame[3] is not None:
                note_answer(frame[3], ctx)
        finally:
            frame[1] = None
            leave(token)

    return run


def is_coroutine_function(hook: Hook) -> bool:
    """Return whether a hook's calls give coroutines, and nothing else that can be awaited."""
    code = getattr(hook.call, "__code__", None)
    return code is not None and bool(code.co_flags & CO_COROUTINE)


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
