"""Collect points: all hooks are asked, those that say yes are named."""

from __future__ import annotations

from inspect import iscoroutine
from time import perf_counter
from typing import TYPE_CHECKING

from hookcore_specs import Effect, HookContext
from hookcore_specs._runtime import ACTIVE, HOOK, Frame

from ..errors import WrongResultError
from ..hooks.hook import Hook
from .answers import describe, log_failure
from .engine import LISTENER, running_hooks
from .plan import Chain, Plan
from .records import Account, make_event

if TYPE_CHECKING:
    from .core import ManagerCore

__all__ = ["collect"]


def collect(manager: ManagerCore, plan: Plan, chain: Chain, ctx: HookContext) -> list[str]:
    """Ask each hook and return the plugins that answered True, in chain order."""
    ctx.point = plan.label
    account = Account(tracked=False)
    running = running_hooks()
    frame: Frame = [ACTIVE.get(), None, manager, None]
    token = ACTIVE.set(frame)
    names: list[str] = []
    stopped_by: BaseException | None = None
    try:
        for hook in chain.hooks:
            if hook.original in running:
                account.skip(hook)
                continue
            frame[HOOK] = hook
            if _answer(manager, hook, ctx, account):
                names.append(hook.plugin)
    except BaseException as error:
        stopped_by = error
        raise
    finally:
        frame[HOOK] = None
        ACTIVE.reset(token)
        if account.count and LISTENER not in running:
            steps = manager._emit(lambda: make_event(plan, ctx, account, stopped_by, None))
            if steps is not None:
                manager._drive(steps)
    return list(dict.fromkeys(names))


def _answer(manager: ManagerCore, hook: Hook, ctx: HookContext, account: Account) -> bool:
    started = perf_counter()
    try:
        answer = _checked(hook, hook.call(ctx))
    except manager.control_flow:
        raise
    except Exception as error:
        swallowed = hook.on_error != "raise"
        effect: Effect | None = "ignored" if swallowed else None
        account.note(hook, "error", started, failure=describe(error), effect=effect)
        log_failure(hook, error, "it has not accepted")
        if swallowed:
            return False
        raise
    account.note(hook, "allow", started)
    return answer and not hook.monitor


def _checked(hook: Hook, answer: object) -> bool:
    if answer is not None and not isinstance(answer, bool):
        if iscoroutine(answer):
            answer.close()
        raise WrongResultError(
            f"a hook at {hook.spec.name} answers True or False, not {type(answer).__name__}"
        )
    return bool(answer)
