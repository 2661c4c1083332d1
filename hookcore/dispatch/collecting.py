"""Collect points: all hooks are asked, those that say yes are named."""

from __future__ import annotations

from inspect import iscoroutine
from time import perf_counter

from hookcore_specs import Effect, HookContext
from hookcore_specs._runtime import ACTIVE, HOOK, Frame

from ..errors import WrongResultError, describe_failure
from ..hooks.hook import Hook
from .answers import log_failure
from .engine import LISTENER, running_hooks
from .plan import Chain, Plan
from .records import Records, make_event
from .services import Services

__all__ = ["collect"]


def collect(services: Services, plan: Plan, chain: Chain, ctx: HookContext) -> list[str]:
    """Ask each hook and return the plugins that answered True, in chain order."""
    ctx.point = plan.label
    records = Records(tracked=False)
    running = running_hooks()
    outer = ACTIVE.get()
    frame: Frame = [outer, None, services, None]
    token = ACTIVE.set(frame)
    names: list[str] = []
    stopped_by: BaseException | None = None
    try:
        for hook in chain.hooks:
            if hook.original in running:
                records.skip(hook)
                continue
            frame = [outer, hook, services, frame[-1]]
            ACTIVE.set(frame)
            if _answer(services, hook, ctx, records):
                names.append(hook.plugin)
            frame[HOOK] = None
    except BaseException as error:
        stopped_by = error
        raise
    finally:
        frame[HOOK] = None
        ACTIVE.reset(token)
        if records.count and LISTENER not in running:
            name = plan.spec.name
            steps = services.emit(lambda: make_event(name, ctx, records, stopped_by, None))
            if steps is not None:
                services.drive(steps)
    return list(dict.fromkeys(names))


def _answer(services: Services, hook: Hook, ctx: HookContext, records: Records) -> bool:
    started = perf_counter()
    try:
        answer = _checked(hook, hook.call(ctx))
    except services.control_flow:
        raise
    except Exception as error:
        swallowed = hook.on_error != "raise"
        effect: Effect | None = "ignored" if swallowed else None
        failure = describe_failure(error)
        records.note(hook, "error", started, failure=failure, effect=effect)
        log_failure(hook, error, "it has not accepted")
        if swallowed:
            return False
        raise
    records.note(hook, "allow", started)
    return answer and not hook.monitor


def _checked(hook: Hook, answer: object) -> bool:
    if answer is not None and not isinstance(answer, bool):
        if iscoroutine(answer):
            answer.close()
        raise WrongResultError(
            f"a hook at {hook.spec.name} answers True or False, not {type(answer).__name__}"
        )
    return bool(answer)
