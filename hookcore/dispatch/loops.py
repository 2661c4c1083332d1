"""Compiled loops for the common chain: plain functions only, nobody but subscribers listening.

They do what the engine does for such chains, without its bookkeeping. Everything that does not
change between two dispatches is bound when the plan is compiled: a closure's variables are the
fastest that Python has.
"""

from __future__ import annotations

from collections.abc import Iterable
from inspect import isawaitable
from time import perf_counter, time
from typing import TYPE_CHECKING, Any, Final

from hookcore_specs import Effect, HookAborted, HookContext, HookDispatchedEvent
from hookcore_specs._runtime import ACTIVE, Frame, running_hook
from hookcore_specs.events import records_of

from ..hooks.hook import Hook
from .answers import abort_of, denial_of, describe, log_failure, settle
from .engine import LISTENER
from .listeners import tell
from .plan import Chain, Plan
from .records import Account, make_event
from .rest import ENGINE_ONLY, Fast, Rest

if TYPE_CHECKING:
    from .core import ManagerCore

__all__ = ["compile_plain", "compile_recorded"]


NESTED: Final = ENGINE_ONLY
"""The dispatch was caused by a hook: only the engine looks whether hooks are running already."""

_get = ACTIVE.get
_set = ACTIVE.set
_reset = ACTIVE.reset


def compile_plain(manager: ManagerCore, plan: Plan, chain: Chain) -> Fast:
    """Return the loop for a simple chain with nobody listening."""
    if len(chain.simple) == 1:
        return _compile_single(manager, plan, chain)
    label, hooks, control_flow = plan.label, chain.hooks, manager.control_flow
    calls = tuple(call for call, _ in chain.simple)

    def run(ctx: HookContext) -> Rest | None:
        if _get() is not None:
            return NESTED
        left = iter(calls)
        frame: Frame = [None, left, manager, None, hooks]
        token = _set(frame)
        ctx.point = label
        before = ctx.payload
        try:
            for call in left:
                try:
                    result = call(ctx)
                    if result is not None or ctx.payload is not before:
                        if isawaitable(result):
                            index = hooks.index(running_hook(frame))
                            return Rest((index, result, before), chain, frame)
                        settle(running_hook(frame), ctx, result, before)
                        before = ctx.payload
                except HookAborted as error:
                    ctx.payload = before
                    abort_of(running_hook(frame), error)
                    raise
                except control_flow:
                    raise
                except Exception as error:  # noqa: BLE001 - rule 4: any failure is handled
                    ctx.payload = before
                    _handle_failure(running_hook(frame), error, ctx)
        finally:
            frame[1] = None
            _reset(token)
        return None

    return run


def _compile_single(manager: ManagerCore, plan: Plan, chain: Chain) -> Fast:
    """Return the loop's one pass, which is the most frequent chain of all."""
    label, (call, hook), control_flow = plan.label, chain.simple[0], manager.control_flow

    def run(ctx: HookContext) -> Rest | None:
        if _get() is not None:
            return NESTED
        frame: Frame = [None, hook, manager, None]
        token = _set(frame)
        ctx.point = label
        before = ctx.payload
        try:
            result = call(ctx)
            if result is not None or ctx.payload is not before:
                if isawaitable(result):
                    return Rest((0, result, before), chain, frame)
                settle(hook, ctx, result, before)
        except HookAborted as error:
            ctx.payload = before
            abort_of(hook, error)
            raise
        except control_flow:
            raise
        except Exception as error:  # noqa: BLE001 - rule 4: any failure is handled
            ctx.payload = before
            _handle_failure(hook, error, ctx)
        finally:
            frame[1] = None
            _reset(token)
        return None

    return run


def compile_recorded(  # noqa: C901, PLR0915 - one flat loop: calls would cost a third of it
    manager: ManagerCore, plan: Plan, chain: Chain
) -> Fast:
    """Return the loop for a simple chain that subscribers are told of."""
    label, name, calls, control_flow = (
        plan.label,
        plan.spec.name,
        chain.simple,
        manager.control_flow,
    )
    names = tuple((hook.plugin, hook.name) for hook in chain.hooks)
    listeners, new = manager._listeners, object.__new__
    has_tool = plan.spec.has_tool
    # The mark stands in a frame apart, and stays there: what a listener does in a task or a thread
    # of its own emits nothing either.
    heard: Frame = [None, LISTENER, manager, None]

    def run(ctx: HookContext) -> Rest | None:  # noqa: C901, PLR0912, PLR0915 - the same
        if _get() is not None:
            return NESTED
        frame: Frame = [None, None, manager, None]
        token = _set(frame)
        ctx.point = label
        before = ctx.payload
        tool: Any = ctx.tool_name if has_tool else None  # type: ignore[attr-defined]
        # When each hook ended, as long as all of them let pass; else an account of them.
        ends: list[float] = []
        account: Account | None = None
        began = started = perf_counter()
        try:
            for call, hook in calls:
                frame[1] = hook
                try:
                    result = call(ctx)
                    if result is None and ctx.payload is before:
                        if account is None:
                            started = perf_counter()
                            ends.append(started)
                            continue
                        account.note(hook, "allow", started)
                    else:
                        account = account or _account(names, began, ends)
                        if isawaitable(result):
                            resume = (chain.hooks.index(hook), result, before)
                            return Rest(resume, chain, frame, account, tool)
                        settle(hook, ctx, result, before)
                        before = ctx.payload
                        account.note(hook, "modify", started)
                except HookAborted as error:
                    ctx.payload = before
                    account = account or _account(names, began, ends)
                    account.note(hook, "deny", started)
                    abort_of(hook, error)
                    raise
                except control_flow as error:
                    account = account or _account(names, began, ends)
                    account.note(hook, "error", started, failure=describe(error))
                    raise
                except Exception as error:  # noqa: BLE001 - rule 4: any failure is handled
                    ctx.payload = before
                    account = account or _account(names, began, ends)
                    _record_failure(hook, error, account, started, ctx)
                except BaseException as error:
                    account = account or _account(names, began, ends)
                    account.note(hook, "error", started, failure=describe(error))
                    raise
                started = perf_counter()
        except BaseException as error:
            frame[1] = None
            event = make_event(plan, ctx, account or _account(names, began, ends), error, tool)
            _set(heard)
            tell(listeners.functions, event)
            raise
        else:
            frame[1] = None
            agent = ctx.agent
            if account is None and (agent is None or type(agent) is str):
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
                event = make_event(plan, ctx, account or _account(names, began, ends), None, tool)
            _set(heard)
            tell(listeners.functions, event)
        finally:
            frame[1] = None
            _reset(token)
        return None

    return run


def _account(names: Iterable[tuple[str, str]], began: float, ends: list[float]) -> Account:
    """Return the account of a dispatch in which all hooks so far let pass."""
    account = Account(tracked=False)
    account.started = began
    account.records = records_of(names, began, ends)
    account.count = len(ends)
    return account


def _handle_failure(hook: Hook, error: Exception, ctx: HookContext) -> None:
    if hook.on_error == "allow":
        log_failure(hook, error, "the dispatch goes on", ctx)
        return
    log_failure(hook, error, "the dispatch ends", ctx)
    if hook.on_error == "deny":
        raise denial_of(hook, error)
    raise error


def _record_failure(
    hook: Hook, error: Exception, account: Account, started: float, ctx: HookContext
) -> None:
    effect: Effect | None = "ignored" if hook.on_error == "allow" else None
    account.note(hook, "error", started, failure=describe(error), effect=effect)
    _handle_failure(hook, error, ctx)
