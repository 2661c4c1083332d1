"""The compiled loop for chains that end in plain gates, the most frequent kind of policy."""

from __future__ import annotations

import _thread
from collections.abc import Callable
from inspect import isawaitable
from time import perf_counter
from typing import Any

from hookcore_specs import HookAborted, HookContext, Kind
from hookcore_specs._runtime import ACTIVE, Frame

from ..errors import WrongResultError, describe_failure
from ..hooks.hook import Hook
from .answers import abort_of, settle
from .contexts import judged_copy, view_of
from .engine import LISTENER
from .judged import uncopied
from .listeners import Listeners, tell
from .loops import (
    NESTED,
    compile_plain,
    compile_recorded,
    handle_failure,
    next_frame,
    note_answer,
    record_failure,
    refuse_what_was_not_asked,
)
from .plan import Chain, Plan
from .records import Records, make_event
from .services import Services
from .unfinished import Loop, Unfinished
from .watchloop import compile_watching

__all__ = ["compile_loop", "judged_or_denied"]

_other_threads = _thread._count
_get, _set, _reset = ACTIVE.get, ACTIVE.set, ACTIVE.reset


def compile_loop(listeners: Listeners | None, services: Services, plan: Plan, chain: Chain) -> Loop:
    """Return the loop for a simple chain.

    Args:
        listeners: the subscribed functions, when there are any.
        services: what the manager's parts share.
        plan: the plan of the point.
        chain: a chain of plain functions.
    """
    if plan.spec.kind is Kind.OBSERVE:
        return compile_watching(listeners, services, plan, chain)
    if chain.gates:
        return _compile_gated(listeners, services, plan, chain)
    if listeners is None:
        return compile_plain(services, plan, chain)
    return compile_recorded(listeners, services, plan, chain)


def _compile_gated(  # noqa: C901, PLR0915 - one flat loop: calls would cost a third of it
    listeners: Listeners | None, services: Services, plan: Plan, chain: Chain
) -> Loop:
    label, name, calls = plan.label, plan.spec.name, chain.simple
    gates = tuple((gate.call, gate) for gate in chain.gates)
    has_tool = hasattr(plan.spec.options.context, "tool_name")
    attempt = _attempt_of(services)
    heard: Frame = [None, LISTENER, services, None]

    def run(ctx: HookContext) -> Unfinished | None:  # noqa: C901, PLR0912 - the same
        if _get() is not None:
            return NESTED
        frame: Frame = [None, None, services, None]
        token = _set(frame)
        ctx.point = label
        tool = getattr(ctx, "tool_name", None) if has_tool else None
        records = None if listeners is None else Records(tracked=False)
        try:
            for index, (call, hook) in enumerate(calls):
                if _other_threads():
                    frame = next_frame(frame)
                frame[1] = hook
                before = ctx.payload
                result = attempt(call, hook, ctx, records)
                if result is not None:
                    return Unfinished((index, result, before), chain, frame[3], records, tool)
                if frame[3] is not None:
                    note_answer(frame[3], ctx)
            if _other_threads():
                frame = next_frame(frame)
            frame[1] = None
            if frame[3] is not None:
                refuse_what_was_not_asked(frame[3], ctx)
            judged = judged_or_denied(ctx, plan, gates[0][1], records)
            for index, (call, gate) in enumerate(gates):
                if _other_threads():
                    frame = next_frame(frame)
                frame[1] = gate
                view = view_of(judged)
                result = attempt(call, gate, view, records)
                if result is not None:
                    left = Unfinished(None, chain, frame[3], records, tool)
                    left.gating = (index, result, view, judged)
                    return left
            frame[1] = None
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
            _reset(token)
        return Unfinished(judged=judged)

    return run


_Attempt = Callable[[Callable[..., Any], Hook, HookContext, "Records | None"], Any]


def _attempt_of(services: Services) -> _Attempt:  # noqa: C901 - one answer for each end
    control_flow = services.control_flow

    def attempt(  # noqa: C901, PLR0912 - the same
        call: Callable[..., Any], hook: Hook, ctx: HookContext, records: Records | None
    ) -> Any:
        """Call one hook and apply its answer; return an awaitable that the engine has to await."""
        started = 0.0 if records is None else perf_counter()
        before = ctx.payload
        try:
            result = call(ctx)
            if result is not None and isawaitable(result):
                return result
            if hook.gate:
                _settle_gate(hook, ctx, result, before)
                replaced = False
            else:
                replaced = settle(hook, ctx, result, before)
        except HookAborted as error:
            ctx.payload = before
            if records is not None:
                records.note(hook, "deny", started, rule=error.rule)
            raise abort_of(hook, error)  # noqa: B904 - nearly always the same object
        except control_flow as error:
            if records is not None:
                records.note(hook, "error", started, failure=describe_failure(error))
            raise
        except Exception as error:  # noqa: BLE001 - rule 4: any failure is handled
            ctx.payload = before
            if records is None:
                handle_failure(hook, error, ctx)
            else:
                record_failure(hook, error, records, started, ctx)
        except BaseException as error:
            if records is not None:
                records.note(hook, "error", started, failure=describe_failure(error))
            raise
        else:
            if records is not None:
                records.note(hook, "modify" if replaced else "allow", started)
        return None

    return attempt


def _settle_gate(gate: Hook, view: HookContext, result: Any, before: Any) -> None:
    if result is not None:
        # An abort raises here; any other value is no answer of a gate.
        settle(gate, view, result, before)
        raise WrongResultError("a gate returns nothing: it lets pass or aborts")


def judged_or_denied(
    ctx: HookContext, plan: Plan, gate: Hook, records: Records | None
) -> HookContext:
    """Return the copy that gates judge.

    Raises:
        HookAborted: the payload cannot be copied.
    """
    try:
        return judged_copy(ctx, plain=plan.plain)
    except Exception as error:
        failure = describe_failure(error)
        if records is not None:
            records.note(gate, "error", perf_counter(), failure=failure)
        raise uncopied(gate, error) from error
