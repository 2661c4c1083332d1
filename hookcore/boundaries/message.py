"""The boundaries of messages, and of points whose payload a host goes on with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hookcore_specs import HookAborted, HookContext

from ..dispatch.contexts import clone
from ..dispatch.plans import Plans
from ..waiting.requests import AwaitBody, Steps
from .boundary import checked_on_denied, denied_value
from .iterators import refuse_coroutine

__all__ = ["settle", "through"]


def settle(plans: Plans, point: str, ctx: HookContext, *, asynchronous: bool) -> Steps:
    """Dispatch an intercept point; return its payload as the hooks left it and the gates judged it.

    What gates judged is what is returned: an object that nobody else has.

    Raises:
        HookAborted: a hook stopped the operation.
        UnknownPointError: there is no such point, or it is of another kind.
    """
    try:
        plan = plans.live[point]
    except KeyError:
        raise plans.misused(point) from None
    left = None if plan is None else plan.loop(ctx)
    if plan is None or left is None:
        return ctx.payload
    if left.judged is not None:
        return left.judged.payload
    dispatch = plans.dispatch(plan, ctx, left, asynchronous=asynchronous)
    if dispatch is None:
        return ctx.payload
    yield from dispatch.steps(left, keeps_judged=True)
    return ctx.payload if dispatch.judged is None else dispatch.judged.payload


def through(
    plans: Plans,
    pre: str,
    ctx: HookContext,
    call: Callable[[Any], Any] | None,
    *,
    sent: str | None = None,
    asynchronous: bool,
    on_denied: str = "raise",
) -> Steps:
    """Settle a message, hand it to the host's function, and tell of it when that has succeeded.

    Args:
        plans: the plans in force.
        pre: the intercept point.
        ctx: the context; its payload is the message.
        call: what the host does with the message that the hooks and gates settled on; when None,
            the message is returned.
        sent: the observe point that tells of what was really done.
        asynchronous: whether the host awaits.
        on_denied: ``"raise"`` HookAborted, or ``"return"`` a :class:`Denied`.
    """
    returns_denial = checked_on_denied(on_denied)
    try:
        message = yield from settle(plans, pre, ctx, asynchronous=asynchronous)
    except HookAborted as error:
        if returns_denial:
            return denied_value(error, pre)
        raise
    if call is None:
        return message
    result = call(message)
    if asynchronous and hasattr(result, "__await__"):
        result = yield AwaitBody(result)
    elif not asynchronous:
        refuse_coroutine(result)
    if sent is not None and plans.live[sent] is not None:
        yield from settle(plans, sent, clone(ctx, message), asynchronous=asynchronous)
    return result
