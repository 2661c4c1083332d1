"""The meaning of a hook's answer: nothing, a replacement, an abort, or a failure."""

from __future__ import annotations

import copy
from typing import Any

from hookcore_specs import Abort, HookAborted, HookContext, Kind, Replace, SpecOptions
from hookcore_specs.contexts import EndingContext
from hookcore_specs.results import WrongAbortError

from ..errors import WrongResultError, describe_failure
from ..hooks.hook import Hook
from ..later import logger
from .deferred import refuse_deferred
from .plain import plain
from .verdicts import is_foreign_verdict

__all__ = ["abort_of", "denial_of", "log_failure", "means_denial", "settle"]

# Where any payload may be, a near-miss of an abort would be one.
_ANSWERS = (Abort, HookAborted, Replace)


def settle(  # noqa: C901 - one branch for each kind of answer
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
        WrongResultError: the answer is of a kind that the point refuses.
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
        raise HookAborted(result.reason, result.source, result.message, result.rule)
    elif result is False and options.false_aborts:
        raise HookAborted(f"{hook.label} returned False")
    else:
        value = result
    _check_type(hook, options, value)
    if isinstance(value, dict):
        value = _checked_dict(hook, options, result, value, before)
    if wanted is not object and not isinstance(value, wanted):
        raise WrongResultError(
            f"{hook.label} was given {wanted.__name__} and answered {type(value).__name__}"
        )
    if options.write_back and value is not before and isinstance(before, list):
        before[:] = value
        value = before
    ctx.payload = value
    if options.after_body and isinstance(ctx, EndingContext):
        ctx.error = None  # the replacement is the value now
    return True


def _checked_dict(
    hook: Hook, options: SpecOptions, result: Any, value: dict[Any, Any], before: Any
) -> dict[Any, Any]:
    arguments = options.payload is dict
    if arguments:
        value = plain(value)  # so that nobody reads another value in it than somebody else
    # Who writes Replace(...) has said that it is a payload.
    if type(result) is not Replace and is_foreign_verdict(value, before, arguments=arguments):
        raise WrongResultError(
            f"{hook.label} answered with another framework's verdict: here a hook raises "
            "HookAborted(reason), or returns Abort(reason), to deny, and None to let pass; a "
            "payload that looks like one is returned as Replace(payload)"
        )
    return value


def _check_type(hook: Hook, options: SpecOptions, value: Any) -> None:
    refuse_deferred(value, f"{hook.label} at {hook.spec.name}")
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
    """Return the abort with its source, the hook's plugin and name where the hook named none.

    An abort that another denial has already used is copied, so that each names its own source.
    """
    given = error.__dict__.get("_source_of")
    if error.source is not None and given is None:
        return error
    if given is not None and given is not hook.original:
        twin = copy.copy(error)
        twin.__cause__, twin.__context__ = error.__cause__, error.__context__
        twin.__suppress_context__ = error.__suppress_context__
        error = twin.with_traceback(error.__traceback__)
    error.source = hook.source
    error.__dict__["_source_of"] = hook.original
    return error


def means_denial(error: BaseException, besides: BaseException | None = None) -> bool:
    """Return whether a hook's failure may have meant a denial, which then counts as one.

    That is a wrong answer, an abort that could not be made, and a group of errors with an abort
    among them, as tasks raise it.

    Args:
        error: what the hook raised.
        besides: an abort that is not the hook's own.
    """
    if isinstance(error, (WrongResultError, WrongAbortError)):
        return True
    if type(error) is TypeError:
        return str(error).startswith(_NOT_MADE)
    return _abort_in(error, besides) is not None


_NOT_MADE = ("HookAborted.__init__()", "Abort.__init__()")
"""The beginnings of what Python says to an abort with too few arguments, or with others."""


def _abort_in(error: BaseException, besides: BaseException | None = None) -> HookAborted | None:
    if isinstance(error, HookAborted):
        return None if error is besides else error
    parts = getattr(error, "exceptions", ())
    found = (_abort_in(part, besides) for part in parts if isinstance(parts, tuple))
    return next((part for part in found if part is not None), None)


def denial_of(hook: Hook, error: BaseException) -> HookAborted:
    """Return the abort that a failed hook under ``on_error="deny"`` amounts to."""
    inner = _abort_in(error)
    if inner is not None:
        denial = HookAborted(inner.reason, hook.source, inner.message, inner.rule)
    else:
        denial = HookAborted(f"{hook.label} failed: {describe_failure(error)}", source=hook.plugin)
    denial.__cause__ = error
    return denial


def log_failure(
    hook: Hook, error: BaseException, consequence: str, ctx: HookContext | None = None
) -> None:
    """Log a hook's failure with its plugin, distribution and version; its dialect hears of it."""
    logger.warning(
        "%s: hook %s at %s failed (%s); %s",
        hook.origin(),
        hook.name,
        hook.spec.name,
        describe_failure(error),
        consequence,
    )
    if hook.dialect is not None and ctx is not None:
        hook.dialect.report(hook, ctx, error)
