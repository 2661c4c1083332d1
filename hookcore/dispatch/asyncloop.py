"""The compiled loop of async hosts, for chains with async hooks and without time limits."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from inspect import isawaitable
from time import perf_counter
from typing import Any

from hookcore_specs import HookAborted, HookContext
from hookcore_specs._runtime import ACTIVE, Frame, leave

from ..errors import WrongResultError, describe_failure
from ..hooks.hook import Hook
from ..later import asyncio
from .answers import abort_of, settle
from .contexts import view_of
from .engine import LISTENER
from .gateloop import judged_or_denied
from .listeners import Listeners, tell
from .loops import NESTED, handle_failure, note_answer, record_failure, refuse_what_was_not_asked
from .plan import Chain, Plan
from .records import Records, make_event
from .services import Services
from .unfinished import Unfinished

__all__ = ["AsyncLoop", "compile_async_loop"]

AsyncLoop = Callable[[HookContext], Coroutine[Any, Any, "Unfinished | None"]]

_get, _set = ACTIVE.get, ACTIVE.set


def compile_async_loop(  # noqa: C901, PLR0915 - one flat loop: calls would cost a third of it
    listeners: Listeners | None, services: Services, plan: Plan, chain: Chain
) -> AsyncLoop:
    """Return the loop for a chain whose hooks are called as they are, async ones among them.

    Args:
        listeners: the subscribed functions, when there are any.
        services: what the manager's parts share.
        plan: the plan of the point.
        chain: the chain.
    """
    label, name = plan.label, plan.spec.name
    calls = tuple((hook.call, hook, hook.asynchronous) for hook in chain.hooks)
    gates = tuple((gate.call, gate) for gate in chain.gates)
    first = chain.hooks[0] if chain.hooks else None
    has_tool = hasattr(plan.spec.options.context, "tool_name")
    heard: Frame = [None, LISTENER, services, None]

    async def run(ctx: HookContext) -> Unfinished | None:  # noqa: C901, PLR0912, PLR0915 - the same
        if _get() is not None:
            return NESTED
        cancelling = _cancelling()
        asked = 0 if cancelling is None else cancelling()
        frame: Frame = [None, None, services, None]
        if first is not None:
            frame = [None, first, services, None, first]
        token = _set(frame)
        ctx.point = label
        records = tool = None
        if listeners is not None:
            tool = getattr(ctx, "tool_name", None) if has_tool else None
            records = Records(tracked=False)
        left: Unfinished | None = None
        try:
            for call, hook, waits in calls:
                if frame[1] is None:
                    # A frame of each hook's own: a task that one leaves may run while others wait.
                    frame = [None, hook, services, frame[3], hook]
                    _set(frame)
                started = 0.0 if records is None else perf_counter()
                before = ctx.payload
                try:
                    result = call(ctx)
                    if result is not None and (waits or isawaitable(result)):
                        result = await result
                        if cancelling is not None and cancelling() > asked:
                            raise asyncio.CancelledError  # the hook has swallowed it  # noqa: TRY301
                    if result is None and ctx.payload is before:
                        if records is not None:
                            records.note(hook, "allow", started)
                    else:
                        settle(hook, ctx, result, before)
                        if records is not None:
                            records.note(hook, "modify", started)
                except BaseException as error:  # noqa: BLE001 - raised again unless it is allowed
                    ctx.payload = before
                    if cancelling is not None and cancelling() > asked:
                        error = _cancelled(error)
                    _ended(services, hook, error, ctx, records, started)
                frame[1] = None
                if frame[3] is not None:
                    note_answer(frame[3], ctx)
            if frame[3] is not None:
                refuse_what_was_not_asked(frame[3], ctx)
            if gates:
                judged = judged_or_denied(ctx, plan, gates[0][1], records)
                for call, gate in gates:
                    frame = [None, gate, services, frame[3], gate]
                    _set(frame)
                    started = 0.0 if records is None else perf_counter()
                    view = view_of(judged)
                    before = view.payload
                    try:
                        result = call(view)
                        if result is not None and isawaitable(result):
                            result = await result
                            if cancelling is not None and cancelling() > asked:
                                raise asyncio.CancelledError  # noqa: TRY301 - swallowed, as above
                        if result is not None:
                            settle(gate, view, result, before)  # an abort raises here
                            raise WrongResultError(  # noqa: TRY301
                                "a gate returns nothing: it lets pass or aborts"
                            )
                        if records is not None:
                            records.note(gate, "allow", started)
                    except BaseException as error:  # noqa: BLE001 - the same
                        view.payload = before
                        if cancelling is not None and cancelling() > asked:
                            error = _cancelled(error)
                        _ended(services, gate, error, view, records, started)
                    frame[1] = None
                left = Unfinished(judged=judged)
        except BaseException as error:
            frame[1] = None
            if records is not None and listeners is not None:
                event = make_event(name, ctx, records, error, tool)
                _set(heard)
                tell(listeners.functions, event)
            raise
        else:
            if records is not None and listeners is not None:
                event = make_event(name, ctx, records, None, tool)
                _set(heard)
                tell(listeners.functions, event)
        finally:
            frame[1] = None
            leave(token)
        return left

    return run


def _cancelled(error: BaseException) -> BaseException:
    """Return the cancellation that a hook made a failure or an abort of."""
    if not isinstance(error, Exception):
        return error
    cancellation = asyncio.CancelledError()
    cancellation.__cause__ = error
    return cancellation


def _cancelling() -> Callable[[], int] | None:
    """Return what tells how often the running task was cancelled; nothing does before 3.11."""
    try:
        task = asyncio.current_task(asyncio.get_running_loop())  # faster than to let it look
    except RuntimeError:  # a loop that is not asyncio's
        return None
    return getattr(task, "cancelling", None)


def _ended(  # noqa: PLR0917 - what the loop has, at one place of it
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
