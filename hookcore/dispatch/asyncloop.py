"""The compiled loop of async hosts, for chains with async hooks and without time limits.

It is begun by hand, like a hook in :mod:`hookcore.waiting.begun`: as long as no hook waits for
anything, no cancellation can have been swallowed, and the running task need not be known.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from inspect import isawaitable
from time import perf_counter
from typing import Any

from hookcore_specs import HookContext
from hookcore_specs._runtime import ACTIVE, Frame, leave

from ..errors import WrongResultError
from ..later import asyncio
from ..waiting.begun import TaskWatch, rest_of
from .answers import settle
from .asyncsingle import compile_awaited, ended, is_coroutine_function
from .contexts import view_of
from .engine import LISTENER
from .gateloop import judged_or_denied
from .listeners import Listeners, tell
from .loops import NESTED, note_answer, refuse_what_was_not_asked
from .plan import Chain, Plan
from .records import Records, make_event
from .services import Services
from .unfinished import AsyncLoop, Unfinished

__all__ = ["compile_async_loop"]

_get, _set = ACTIVE.get, ACTIVE.set


def compile_async_loop(
    listeners: Listeners | None, services: Services, plan: Plan, chain: Chain
) -> AsyncLoop:
    """Return the loop for a chain whose hooks are called as they are, async ones among them.

    Args:
        listeners: the subscribed functions, when there are any.
        services: what the manager's parts share.
        plan: the plan of the point.
        chain: the chain.
    """
    alone = len(chain.hooks) == 1 and not chain.gates and listeners is None
    if alone and is_coroutine_function(chain.hooks[0]):
        return compile_awaited(services, plan, chain.hooks[0])
    walk = _compile_walk(listeners, services, plan, chain)

    def run(ctx: HookContext) -> Unfinished | Coroutine[Any, Any, Unfinished | None] | None:
        if _get() is not None:
            return NESTED
        watch: list[TaskWatch] = []
        begun = walk(ctx, watch)
        try:
            waits_for = begun.send(None)
        except StopIteration as stop:
            left: Unfinished | None = stop.value
            return left
        watch.append(TaskWatch())
        return rest(begun, waits_for)

    async def rest(begun: Coroutine[Any, Any, Any], waits_for: Any) -> Unfinished | None:
        left: Unfinished | None = await rest_of(begun, waits_for)
        return left

    return run


def _compile_walk(  # noqa: C901, PLR0915 - one flat loop: calls would cost a third of it
    listeners: Listeners | None, services: Services, plan: Plan, chain: Chain
) -> Callable[[HookContext, list[TaskWatch]], Coroutine[Any, Any, Unfinished | None]]:
    label, name = plan.label, plan.spec.name
    calls = tuple((hook.call, hook, hook.asynchronous) for hook in chain.hooks)
    gates = tuple((gate.call, gate) for gate in chain.gates)
    first = chain.hooks[0] if chain.hooks else None
    has_tool = hasattr(plan.spec.options.context, "tool_name")
    heard: Frame = [None, LISTENER, services, None]

    async def walk(  # noqa: C901, PLR0912, PLR0915 - the same
        ctx: HookContext, watch: list[TaskWatch]
    ) -> Unfinished | None:
        # ``watch`` is empty until a hook waits for something.
        frame: Frame = [None, None, services, None]
        if first is not None:
            frame = [None, first, services, None, first]
        token = _set(frame)
        ctx.point = label
        before = ctx.payload
        records = tool = None
        started = 0.0
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
                if records is not None:
                    started = perf_counter()
                try:
                    result = call(ctx)
                    if waits or (result is not None and isawaitable(result)):
                        result = await result
                        if watch and watch[0].was_cancelled:
                            raise asyncio.CancelledError  # the hook has swallowed it  # noqa: TRY301
                    if result is None and ctx.payload is before:
                        if records is not None:
                            records.note(hook, "allow", started)
                    else:
                        settle(hook, ctx, result, before)
                        before = ctx.payload
                        if records is not None:
                            records.note(hook, "modify", started)
                except BaseException as error:  # noqa: BLE001 - raised again unless it is allowed
                    ctx.payload = before
                    if watch and watch[0].was_cancelled:
                        error = _cancelled(error)
                    ended(services, hook, error, ctx, records, started)
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
                            if watch and watch[0].was_cancelled:
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
                        if watch and watch[0].was_cancelled:
                            error = _cancelled(error)
                        ended(services, gate, error, view, records, started)
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

    return walk


def _cancelled(error: BaseException) -> BaseException:
    """Return the cancellation that a hook made a failure or an abort of."""
    if not isinstance(error, Exception):
        return error
    cancellation = asyncio.CancelledError()
    cancellation.__cause__ = error
    return cancellation
