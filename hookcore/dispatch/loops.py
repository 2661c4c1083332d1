"""Compiled loops for the common chain: plain functions only, nobody but subscribers listening.

They do what the engine does for such chains, without its bookkeeping. Everything that does not
change between two dispatches is bound when the plan is compiled: a closure's variables are the
fastest that Python has.
"""

from __future__ import annotations

import _thread
from collections.abc import Iterable
from inspect import isawaitable
from time import perf_counter, time
from typing import Any, Final

from hookcore_specs import Effect, HookAborted, HookContext, HookDispatchedEvent
from hookcore_specs._runtime import ACTIVE, Frame
from hookcore_specs.events import records_of

from ..errors import describe_failure
from ..hooks.hook import Hook
from .answers import abort_of, denial_of, log_failure, means_denial, settle
from .engine import LISTENER
from .listeners import Listeners, tell
from .plan import Chain, Plan
from .records import Records, make_event
from .services import Services
from .states import States
from .stops import note_failure
from .unfinished import ALL, Loop, Unfinished

__all__ = [
    "NESTED",
    "compile_plain",
    "compile_recorded",
    "handle_failure",
    "next_frame",
    "note_answer",
    "record_failure",
    "refuse_what_was_not_asked",
]


NESTED: Final = ALL
"""The dispatch was caused by a hook: only the engine looks whether hooks are running already."""

# A plain hook can leave work running only on another thread: while there is none, one frame serves
# all hooks of a chain. Entering a frame costs as much as three calls.
_other_threads = _thread._count
_get = ACTIVE.get
_set = ACTIVE.set
_reset = ACTIVE.reset


def compile_plain(  # noqa: C901 - one flat loop: calls would cost a third of it
    services: Services, plan: Plan, chain: Chain
) -> Loop:
    """Return the loop for a simple chain with nobody listening."""
    if len(chain.simple) == 1:
        return _compile_single(services, plan, chain)
    label, calls, hooks = plan.label, chain.simple, chain.hooks
    control_flow = services.control_flow

    def run(ctx: HookContext) -> Unfinished | None:  # noqa: C901, PLR0912 - the same
        if _get() is not None:
            return NESTED
        frame: Frame = [None, None, services, None]
        token = _set(frame)
        ctx.point = label
        before = ctx.payload
        pending = iter(calls)
        try:
            while True:
                # The loop stands inside of the `try`: entering that for each hook costs more.
                try:
                    for call, hook in pending:
                        if _other_threads():
                            frame = next_frame(frame)
                        frame[1] = hook
                        result = call(ctx)
                        if result is not None or ctx.payload is not before:
                            if isawaitable(result):
                                resume = (hooks.index(hook), result, before)
                                return Unfinished(resume, chain, frame[3])
                            settle(hook, ctx, result, before)
                            before = ctx.payload
                        if frame[3] is not None:
                            note_answer(frame[3], ctx)
                    break
                except HookAborted as error:
                    ctx.payload = before
                    raise abort_of(hook, error)  # noqa: B904 - nearly always the same object
                except control_flow:
                    raise
                except Exception as error:  # noqa: BLE001 - rule 4: any failure is handled
                    ctx.payload = before
                    handle_failure(hook, error, ctx)
                    if frame[3] is not None:
                        note_answer(frame[3], ctx)
            if frame[3] is not None:
                refuse_what_was_not_asked(frame[3], ctx)
        finally:
            frame[1] = None
            _reset(token)
        return None

    return run


def next_frame(frame: Frame) -> Frame:
    """Enter a frame for the next hook, and end the one before.

    What a hook left running on another thread keeps that one: it is judged like anybody's work,
    and not taken for work of the hook that runs now.
    """
    if frame[1] is not None:
        frame.append(frame[1])
        frame[1] = None
    frame = [None, None, frame[2], frame[3]]
    _set(frame)
    return frame


def note_answer(states: States, ctx: HookContext) -> None:
    """Note what a hook left that asked a person."""
    if states.asked:
        states.note_answer(ctx)


def refuse_what_was_not_asked(states: States, ctx: HookContext) -> None:
    """Refuse what is not what a person was asked about."""
    for asked in states.asked:
        asked.check(ctx, ctx.payload)


def _compile_single(services: Services, plan: Plan, chain: Chain) -> Loop:
    """Return the loop's one pass, which is the most frequent chain of all."""
    label, (call, hook), control_flow = plan.label, chain.simple[0], services.control_flow

    def run(ctx: HookContext) -> Unfinished | None:
        if _get() is not None:
            return NESTED
        frame: Frame = [None, hook, services, None, hook]
        token = _set(frame)
        ctx.point = label
        before = ctx.payload
        try:
            result = call(ctx)
            if result is not None or ctx.payload is not before:
                if isawaitable(result):
                    return Unfinished((0, result, before), chain, frame[3])
                settle(hook, ctx, result, before)
        except HookAborted as error:
            ctx.payload = before
            raise abort_of(hook, error)  # noqa: B904 - nearly always the same object
        except control_flow:
            raise
        except Exception as error:  # noqa: BLE001 - rule 4: any failure is handled
            ctx.payload = before
            handle_failure(hook, error, ctx)
        else:
            if frame[3] is not None:
                note_answer(frame[3], ctx)
        finally:
            frame[1] = None
            _reset(token)
        return None

    return run


def compile_recorded(  # noqa: C901, PLR0915 - one flat loop: calls would cost a third of it
    listeners: Listeners, services: Services, plan: Plan, chain: Chain
) -> Loop:
    """Return the loop for a simple chain that subscribers are told of."""
    label, name, calls, control_flow = (
        plan.label,
        plan.spec.name,
        chain.simple,
        services.control_flow,
    )
    names = tuple((hook.plugin, hook.name) for hook in chain.hooks)
    new = object.__new__
    has_tool = hasattr(plan.spec.options.context, "tool_name")
    # The mark stands in a frame apart, and stays there: what a listener does in a task or a thread
    # of its own emits nothing either.
    heard: Frame = [None, LISTENER, services, None]

    def run(ctx: HookContext) -> Unfinished | None:  # noqa: C901, PLR0912, PLR0915 - the same
        if _get() is not None:
            return NESTED
        frame: Frame = [None, None, services, None]
        token = _set(frame)
        ctx.point = label
        before = ctx.payload
        tool: Any = ctx.tool_name if has_tool else None  # type: ignore[attr-defined]
        # When each hook ended, as long as all of them let pass; else the records.
        ends: list[float] = []
        records: Records | None = None
        began = started = perf_counter()
        try:
            for call, hook in calls:
                if _other_threads():
                    frame = next_frame(frame)
                frame[1] = hook
                try:
                    result = call(ctx)
                    if result is None and ctx.payload is before:
                        if records is None:
                            if frame[3] is not None:
                                note_answer(frame[3], ctx)
                            started = perf_counter()
                            ends.append(started)
                            continue
                        records.note(hook, "allow", started)
                    else:
                        records = records or _records(names, began, ends)
                        if isawaitable(result):
                            resume = (chain.hooks.index(hook), result, before)
                            return Unfinished(resume, chain, frame[3], records, tool)
                        settle(hook, ctx, result, before)
                        before = ctx.payload
                        records.note(hook, "modify", started)
                except HookAborted as error:
                    ctx.payload = before
                    records = records or _records(names, began, ends)
                    records.note(hook, "deny", started, rule=error.rule)
                    raise abort_of(hook, error)  # noqa: B904 - nearly always the same object
                except control_flow as error:
                    records = records or _records(names, began, ends)
                    records.note(hook, "error", started, failure=describe_failure(error))
                    raise
                except Exception as error:  # noqa: BLE001 - rule 4: any failure is handled
                    ctx.payload = before
                    records = records or _records(names, began, ends)
                    record_failure(hook, error, records, started, ctx)
                except BaseException as error:
                    records = records or _records(names, began, ends)
                    records.note(hook, "error", started, failure=describe_failure(error))
                    raise
                if frame[3] is not None:
                    note_answer(frame[3], ctx)
                started = perf_counter()
            if frame[3] is not None:
                refuse_what_was_not_asked(frame[3], ctx)
        except BaseException as error:
            frame[1] = None
            event = make_event(name, ctx, records or _records(names, began, ends), error, tool)
            _set(heard)
            tell(listeners.functions, event)
            raise
        else:
            agent = ctx.agent
            if records is None and (agent is None or type(agent) is str):
                # The event that make_event would make, without the calls in between.
                event = new(HookDispatchedEvent)
                event.interception_point = name
                event.outcome = "proceeded"
                event.hook_count = len(ends)
                event.duration_ms = (started - began) * 1e3
                event.abort_reason = None
                event.abort_source = None
                event.made = (time(), names, began, ends)  # type: ignore[misc]  # mypy overlooks the base's slot
                event.run_id = ctx.run_id
                event.parent_run_id = ctx.parent_run_id
                event.session_id = ctx.session_id
                event.call_id = ctx.call_id
                event.agent = agent
                event.tool = tool
                event.error_count = 0
                event.mutations_tracked = False
            else:
                event = make_event(name, ctx, records or _records(names, began, ends), None, tool)
            _set(heard)
            tell(listeners.functions, event)
        finally:
            frame[1] = None
            _reset(token)
        return None

    return run


def _records(names: Iterable[tuple[str, str]], began: float, ends: list[float]) -> Records:
    """Return the records of a dispatch in which all hooks so far let pass."""
    records = Records(tracked=False)
    records.started = began
    records.list = records_of(names, began, ends)
    records.count = len(ends)
    return records


def handle_failure(hook: Hook, error: Exception, ctx: HookContext) -> None:
    """Log a failure, and raise what its ``on_error`` makes of it."""
    # An answer that means nothing might have meant a denial.
    on_error = "deny" if means_denial(error) else hook.on_error
    if on_error == "allow":
        log_failure(hook, error, "the dispatch goes on", ctx)
        return
    log_failure(hook, error, "the dispatch ends", ctx)
    if on_error == "deny":
        raise denial_of(hook, error)
    raise note_failure(error, ctx)


def record_failure(
    hook: Hook, error: Exception, records: Records, started: float, ctx: HookContext
) -> None:
    """Record a failure, log it, and raise what its ``on_error`` makes of it."""
    ignored = hook.on_error == "allow" and not means_denial(error)
    effect: Effect | None = "ignored" if ignored else None
    records.note(hook, "error", started, failure=describe_failure(error), effect=effect)
    handle_failure(hook, error, ctx)
