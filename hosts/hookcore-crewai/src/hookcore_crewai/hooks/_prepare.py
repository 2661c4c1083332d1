"""Dispatches of the drop-in's own contexts: the manager gets them as they are."""

from __future__ import annotations

from typing import Any

from hookcore import HookManager
from hookcore.hosting import Plan, Unfinished
from hookcore_specs import HookContext

from ._calls import LLMCallHookContext, ToolCallHookContext
from ._dialect import blocked
from ._foreign import Reducer
from .contexts import InterceptionContext

__all__ = [
    "KNOWN",
    "STANDARD_REDUCERS",
    "after_llm_call_reducer",
    "after_tool_call_reducer",
    "before_llm_call_reducer",
    "before_tool_call_reducer",
    "dispatch_boundary",
    "dispatch_call",
    "finish",
    "hand_over",
]

_STARTS = frozenset({"execution_start", "input"})


def before_llm_call_reducer(context: Any, result: object) -> bool:  # noqa: ARG001 - a reducer
    """Raise :exc:`LegacyHookBlocked` for False; anything else changes nothing."""
    if result is False:
        raise blocked("pre_model_call")
    return False


def after_llm_call_reducer(context: Any, result: object) -> bool:
    """Make a text, also an empty one, the response."""
    if isinstance(result, str):
        context.response = result
        return True
    return False


def before_tool_call_reducer(context: Any, result: object) -> bool:  # noqa: ARG001 - a reducer
    """Raise :exc:`HookAborted` for False; anything else changes nothing."""
    if result is False:
        raise blocked("pre_tool_call")
    return False


def after_tool_call_reducer(context: Any, result: object) -> bool:
    """Make a text, also an empty one, the result."""
    if isinstance(result, str):
        context.tool_result = result
        return True
    return False


STANDARD_REDUCERS: dict[str, Reducer] = {
    "pre_model_call": before_llm_call_reducer,
    "post_model_call": after_llm_call_reducer,
    "pre_tool_call": before_tool_call_reducer,
    "post_tool_call": after_tool_call_reducer,
}
"""The way each point's answers are read when nobody says otherwise; the dialect does the same."""

KNOWN: dict[Reducer | None, tuple[Any, bool | None]] = {
    before_llm_call_reducer: (LLMCallHookContext, False),
    after_llm_call_reducer: (LLMCallHookContext, True),
    before_tool_call_reducer: (ToolCallHookContext, False),
    after_tool_call_reducer: (ToolCallHookContext, True),
    None: (InterceptionContext, None),
}
"""The context that each reducer reads into, and whether that is after a call; None for no call."""


def dispatch_boundary(manager: HookManager, plan: Plan, ctx: Any) -> None:
    """Dispatch a context that is not about a call."""
    if ctx.payload is None and plan.spec.name in _STARTS:
        _without_inputs(manager, plan, ctx)
    else:
        _run(manager, plan, ctx)


def dispatch_call(manager: HookManager, plan: Plan, ctx: Any, *, after: bool) -> None:
    """Dispatch a context that is about a call, before or after it."""
    ctx.arrive(plan.spec.name)
    given = ctx.payload
    _run(manager, plan, ctx)
    if ctx.payload is not given and not after:
        hand_over(ctx, given)


def _run(manager: HookManager, plan: Plan, ctx: HookContext) -> None:
    left = plan.loop(ctx)
    if left is not None:
        finish(manager, plan, ctx, left)


def finish(manager: HookManager, plan: Plan, ctx: HookContext, left: Unfinished) -> None:
    """Let the engine do what the plan's compiled loop left."""
    parts = manager.parts
    steps = parts.plans.steps(plan, ctx, left, asynchronous=False)
    if steps is not None:
        parts.services.drive(steps)


def hand_over(ctx: HookContext, given: Any) -> None:
    """Put what a policy or a gate made of a tool's arguments into the host's own dict."""
    value = ctx.payload
    if isinstance(given, dict) and isinstance(value, dict):
        given.clear()
        given.update(value)
        ctx.payload = given


def _without_inputs(manager: HookManager, plan: Plan, ctx: Any) -> None:
    """Show hooks an empty dict where a run was started without inputs.

    With None, a hook that looks something up in the inputs would fail, and let the run through.
    """
    inputs = getattr(ctx, "inputs", None)
    if not isinstance(inputs, dict):
        _run(manager, plan, ctx)
        return
    ctx.payload = inputs
    try:
        _run(manager, plan, ctx)
    finally:
        if ctx.payload is inputs and not inputs:
            ctx.payload = None
