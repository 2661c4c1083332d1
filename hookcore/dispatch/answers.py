"""What becomes of a hook's answer: nothing, a replacement, an abort, or a failure."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Any

from hookcore_specs import Abort, HookAborted, HookContext, Kind, Replace, SpecOptions
from hookcore_specs.contexts import EndingContext

from ..errors import WrongResultError
from ..hooks.hook import Hook

__all__ = ["abort_of", "denial_of", "describe", "log_failure", "settle"]

_AFTER_BODY = frozenset({"post_tool_call", "post_model_call", "post_run", "post_turn", "post_step"})

# Where any payload may be, a near-miss of an abort would be one.
_ANSWERS = (Abort, HookAborted, Replace)

logger = logging.getLogger("hookcore")


def settle(
    hook: Hook, ctx: HookContext, result: Any, before: Any, *, wanted: type = object
) -> bool:
    """Make a hook's answer the context's payload; return whether it replaced the payload.

    Args:
        hook: the hook that answered.
        ctx: the context that it was called with.
        result: what it returned.
        before: the payload as it was before the call.
        wanted: a type that the payload must have here besides the point's own.

    Raises:
        HookAborted: the answer is an abort.
        WrongResultError: the answer is of a type that the point refuses.
    """
    if hook.dialect is not None:
        return hook.dialect.settle(hook, ctx, result, before)
    options = hook.spec.options
    value: Any
    if result is None:
        value = ctx.payload
        if value is before:
            return False
    elif type(result) is Replace:
        value = result.value
    elif type(result) is Abort:
        raise HookAborted(result.reason, result.source, result.message)
    elif result is False and options.false_aborts:
        raise HookAborted(f"{hook.label} returned False")
    else:
        value = result
    _check_type(hook, options, value)
    if wanted is not object and not isinstance(value, wanted):
        raise WrongResultError(
            f"{hook.label} was given {wanted.__name__} and answered {type(value).__name__}"
        )
    if options.write_back and value is not before and isinstance(before, list):
        before[:] = value
        value = before
    ctx.payload = value
    if hook.spec.name in _AFTER_BODY and isinstance(ctx, EndingContext):
        ctx.error = None  # the replacement is the value now
    return True


def _check_type(hook: Hook, options: SpecOptions, value: Any) -> None:
    if hook.spec.kind is Kind.OBSERVE:
        raise WrongResultError(f"a hook at {hook.spec.name} observes and returns nothing")
    if issubclass(value if isinstance(value, type) else type(value), _ANSWERS):
        raise WrongResultError(
            f"a payload at {hook.spec.name} is no answer: raise HookAborted, return Abort(reason) "
            "or Replace(value)"
        )
    if not isinstance(value, options.payload):
        types = options.payload if isinstance(options.payload, tuple) else (options.payload,)
        wanted = " or ".join(item.__name__ for item in types)
        raise WrongResultError(
            f"a replacement at {hook.spec.name} must be {wanted}, not {type(value).__name__}"
        )


def abort_of(hook: Hook, error: HookAborted) -> HookAborted:
    """Fill in the abort's source, the hook's plugin and name, when the hook left it open."""
    if error.source is None:
        error.source = hook.source
    return error


def denial_of(hook: Hook, error: BaseException) -> HookAborted:
    """Return the abort that a failed hook under ``on_error="deny"`` amounts to."""
    denial = HookAborted(f"{hook.label} failed: {describe(error)}", source=hook.plugin)
    denial.__cause__ = error
    return denial


def describe(error: BaseException) -> str:
    """Return an exception's class and place, never its text, which may quote the payload."""
    return f"{type(error).__qualname__} at {_place(error.__traceback__)}"


def _place(traceback: TracebackType | None) -> str:
    if traceback is None:
        return "an unknown place"
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    module = traceback.tb_frame.f_globals.get("__name__", "?")
    return f"{module}:{traceback.tb_lineno}"


def log_failure(
    hook: Hook, error: BaseException, consequence: str, ctx: HookContext | None = None
) -> None:
    """Log a hook's failure with its plugin, distribution and version; its dialect hears of it."""
    logger.warning(
        "%s: hook %s at %s failed (%s); %s",
        hook.origin(),
        hook.name,
        hook.spec.name,
        describe(error),
        consequence,
    )
    if hook.dialect is not None and ctx is not None:
        hook.dialect.report(hook, ctx, error)
