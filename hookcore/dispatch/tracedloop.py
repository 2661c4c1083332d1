"""The compiled loop of a trace that knows what payloads were, for the many dispatches of a replay.

It spells the engine for chains of plain functions. Where a hook raises, the engine's own attempt
says what that comes to.
"""

from __future__ import annotations

import _thread
from inspect import isawaitable
from time import perf_counter
from typing import Any

from hookcore_specs import HookContext, Kind
from hookcore_specs._runtime import ACTIVE, Frame

from .answers import settle
from .attempt import Attempt
from .contexts import view_of
from .copying import copy_payload
from .engine import LISTENER
from .gateloop import judged_or_denied
from .listeners import Listeners, tell
from .loops import NESTED, next_frame, note_answer, refuse_what_was_not_asked
from .plan import Chain, Plan
from .records import Records, make_event, passed_event, passed_records
from .services import Services
from .unfinished import Loop, Unfinished, leave

__all__ = ["compile_traced"]

_other_threads = _thread._count
_get, _set, _reset = ACTIVE.get, ACTIVE.set, ACTIVE.reset


def compile_traced(  # noqa: C901, PLR0915 - one flat loop: calls would cost a third of it
    listeners: Listeners, services: Services, plan: Plan, chain: Chain
) -> Loop:
    """Return the loop for a simple chain; the engine's where hooks only watch.

    Args:
        listeners: the subscribed functions.
        services: what the manager's parts share, a tracer and its keeper among them.
        plan: the plan of the point.
        chain: a chain of plain functions.
    """
    keeper, tracer = services.keeper, services.tracer
    if plan.spec.kind is not Kind.INTERCEPT or keeper is None or tracer is None:
        return leave
    before_of, after_of = keeper.before, keeper.after
    label, name, calls, gates = plan.label, plan.spec.name, chain.simple, chain.gates
    names = tuple((hook.plugin, hook.name) for hook in chain.hooks)
    has_tool = hasattr(plan.spec.options.context, "tool_name")
    heard: Frame = [None, LISTENER, services, None]

    def run(ctx: HookContext) -> Unfinished | None:  # noqa: C901, PLR0912, PLR0915 - the same
        if _get() is not None:
            return NESTED
        frame: Frame = [None, None, services, None]
        token = _set(frame)
        ctx.point = label
        tool: Any = ctx.tool_name if has_tool else None  # type: ignore[attr-defined]
        # When each hook ended, as long as all of them let pass; else the records.
        ends: list[float] = []
        records: Records | None = None
        left: Unfinished | None = None
        began = started = perf_counter()
        try:
            kept = before_of(ctx)
            for index, (call, hook) in enumerate(calls):
                if _other_threads():
                    frame = next_frame(frame)
                frame[1] = hook
                before = ctx.payload
                replaced = False
                try:
                    result = call(ctx)
                    if result is not None or ctx.payload is not before:
                        if isawaitable(result):
                            records = records or passed_records(names, began, ends)
                            resume = (index, result, before)
                            left = Unfinished(resume, chain, frame[3], records, tool)
                            left.kept = (before, kept)
                            return left
                        replaced = settle(hook, ctx, result, before)
                except BaseException as error:  # noqa: BLE001 - the attempt raises what ends it
                    records = records or passed_records(names, began, ends)
                    _ended(Attempt(services, records, hook, ctx, (before, kept)), started, error)
                    kept = after_of(ctx.payload, kept)
                else:
                    now = after_of(ctx.payload, kept)
                    if replaced or now is not kept:
                        records = records or passed_records(names, began, ends)
                        tracer(name, records.note(hook, "modify", started), None, kept, now)
                        kept = now
                    elif records is not None:
                        records.note(hook, "allow", started)
                    if frame[3] is not None:
                        note_answer(frame[3], ctx)
                started = perf_counter()
                if records is None:
                    ends.append(started)
            frame[1] = None
            if frame[3] is not None:
                refuse_what_was_not_asked(frame[3], ctx)
            if gates:
                records = records or passed_records(names, began, ends)
                left = _gated(services, plan, chain, ctx, records, frame, tool)
                if left.gating is not None:
                    return left
        except BaseException as error:
            frame[1] = None
            records = records or passed_records(names, began, ends)
            if records.count and listeners.functions:
                event = make_event(name, ctx, records, error, tool)
                _set(heard)
                tell(listeners.functions, event)
            raise
        else:
            if listeners.functions:
                agent = ctx.agent
                if records is None and (agent is None or type(agent) is str):
                    event = passed_event(name, ctx, names, began, ends, tool)
                else:
                    records = records or passed_records(names, began, ends)
                    event = make_event(name, ctx, records, None, tool)
                _set(heard)
                tell(listeners.functions, event)
        finally:
            frame[1] = None
            _reset(token)
        return left

    return run


def _gated(  # noqa: PLR0917 - what the loop has, at one place of it
    services: Services,
    plan: Plan,
    chain: Chain,
    ctx: HookContext,
    records: Records,
    frame: Frame,
    tool: Any,
) -> Unfinished:
    """Let the gates judge; return the judged copy, or where one of them has to be awaited."""
    judged = judged_or_denied(ctx, plan, chain.gates[0], records)
    try:
        for index, gate in enumerate(chain.gates):
            if _other_threads():
                frame = next_frame(frame)
            frame[1] = gate
            view = view_of(judged)
            before, started = view.payload, perf_counter()
            try:
                result = gate.call(view)
                if result is not None:
                    kept = (before, copy_payload(judged.payload))
                    if isawaitable(result):
                        left = Unfinished(None, chain, frame[3], records, tool)
                        left.gating, left.kept = (index, result, view, judged), kept
                        return left
                    Attempt(services, records, gate, view, kept).settle(result)
                records.note(gate, "allow", started)
            except BaseException as error:  # noqa: BLE001 - the attempt raises what ends it
                kept = (before, copy_payload(judged.payload))
                _ended(Attempt(services, records, gate, view, kept), started, error)
    finally:
        frame[1] = None
    return Unfinished(judged=judged)


def _ended(attempt: Attempt, started: float, error: BaseException) -> None:
    attempt.started = started
    attempt.ended(error)
