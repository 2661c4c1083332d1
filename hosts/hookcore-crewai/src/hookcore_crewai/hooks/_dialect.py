"""The meaning of what CrewAI's hooks return, and the place where their failures show."""

from __future__ import annotations

import sys
from typing import Any

from hookcore.hosting import Dialect, Hook
from hookcore_specs import HookAborted, HookContext

from ._foreign import ForeignContext
from ._points import AFTER_CALL_POINTS, CALL_POINTS

__all__ = ["CREWAI", "LegacyHookBlocked", "print_in"]

_YELLOW = "\033[93m"
_PLAIN = "\033[0m"


class LegacyHookBlocked(HookAborted):
    """A hook blocked a model call by returning False, which callers see as a ValueError."""


def _settle(hook: Hook, ctx: HookContext, result: Any, before: Any) -> bool:
    if type(ctx) is ForeignContext:
        return ctx.settle(result, before)
    point = hook.spec.name
    if point in CALL_POINTS:
        return _settle_call(point, ctx, result, before)
    if result is not None:
        ctx.payload = result
    if isinstance(ctx.payload, dict) and isinstance(getattr(ctx, "inputs", None), dict):
        ctx.inputs = ctx.payload  # type: ignore[attr-defined]
    return result is not None or ctx.payload is not before


def _settle_call(point: str, ctx: HookContext, result: Any, before: Any) -> bool:
    if point not in AFTER_CALL_POINTS:
        if result is False:
            raise blocked(point)
        value = ctx.payload
        if value is before:
            return False
        wanted = list if point == "pre_model_call" else dict
        if not isinstance(value, wanted):
            raise TypeError(
                f"a hook at {point} bound a {type(value).__name__} where a {wanted.__name__} "
                "belongs; the one before was put back"
            )
        _keep_object(ctx, value, before)
        return True
    if isinstance(result, str):
        ctx.payload = result
    return ctx.payload is not before or isinstance(result, str)


def _keep_object(ctx: HookContext, value: Any, before: Any) -> None:
    """Put a replacement into the host's own object, since that is what the host goes on with."""
    if isinstance(before, list):
        before[:] = value
    elif isinstance(before, dict):
        kept = dict(value)
        before.clear()
        before.update(kept)
    else:
        return
    ctx.payload = before


def blocked(point: str) -> HookAborted:
    """Return the abort that a returned False stands for."""
    if point == "pre_model_call":
        return LegacyHookBlocked("before_llm_call hook returned False")
    return HookAborted("before_tool_call hook returned False")


def _report(hook: Hook, ctx: HookContext, error: BaseException) -> None:
    if _is_their_abort(error):
        reason, source = str(error), getattr(error, "source", None)
        raise HookAborted(reason, hook.source if source is None else source) from error
    if not getattr(ctx, "quiet", True):
        print_in("yellow", f"{hook.spec.name}: hook {hook.name} failed: {error}", _YELLOW)


def _is_their_abort(error: BaseException) -> bool:
    """Tell whether an older hook raised CrewAI's own class, or one made of it."""
    return any(
        cls.__name__ == "HookAborted" and cls.__module__ == "crewai.hooks.dispatch"
        for cls in type(error).__mro__
    )


def print_in(color: str, text: str, code: str = _YELLOW) -> None:
    """Print in a colour, through CrewAI's printer when it is there to silence it."""
    printer = sys.modules.get("crewai_core.printer")
    if printer is not None:
        printer.PRINTER.print(content=text, color=color)
    else:
        sys.stdout.write(f"{code}{text}{_PLAIN}\n")


CREWAI = Dialect(settle=_settle, report=_report)
