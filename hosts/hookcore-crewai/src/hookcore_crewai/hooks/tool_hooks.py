"""Hooks around tool calls, in CrewAI's older way of registering them."""

from __future__ import annotations

import sys
from typing import Any

from hookcore_specs import NEUTRAL_MESSAGE, HookAborted

from ._calls import ToolCallHookContext
from ._denials import denied, message_of
from ._points import InterceptionPoint
from ._prepare import after_tool_call_reducer, before_tool_call_reducer
from ._registration import Family
from .dispatch import dispatch

__all__ = [
    "ToolCallHookContext",
    "after_tool_call_reducer",
    "before_tool_call_reducer",
    "clear_after_tool_call_hooks",
    "clear_all_tool_call_hooks",
    "clear_before_tool_call_hooks",
    "get_after_tool_call_hooks",
    "get_before_tool_call_hooks",
    "register_after_tool_call_hook",
    "register_before_tool_call_hook",
    "run_after_tool_call_hooks",
    "run_before_tool_call_hooks",
    "unregister_after_tool_call_hook",
    "unregister_before_tool_call_hook",
]

_before = Family(InterceptionPoint.PRE_TOOL_CALL)
_after = Family(InterceptionPoint.POST_TOOL_CALL)

_before_tool_call_hooks = _before.hooks
_after_tool_call_hooks = _after.hooks

register_before_tool_call_hook = _before.register
register_after_tool_call_hook = _after.register
unregister_before_tool_call_hook = _before.unregister
unregister_after_tool_call_hook = _after.unregister
get_before_tool_call_hooks = _before.get
get_after_tool_call_hooks = _after.get
clear_before_tool_call_hooks = _before.clear
clear_after_tool_call_hooks = _after.clear


def clear_all_tool_call_hooks() -> tuple[int, int]:
    """Unregister all hooks of tool calls; return how many stood before and after the call."""
    return _before.clear(), _after.clear()


def run_before_tool_call_hooks(context: ToolCallHookContext) -> bool:
    """Dispatch ``pre_tool_call`` and return whether a hook blocked the call.

    What the denial has to say to the model is kept, for the result that the agent gets instead.
    """
    try:
        dispatch(
            InterceptionPoint.PRE_TOOL_CALL,
            context,
            reducer=before_tool_call_reducer,
            verbose=_verbose(context),
        )
    except HookAborted as error:
        if error.message != NEUTRAL_MESSAGE:
            denied(context, error.message)
        return True
    return False


def run_after_tool_call_hooks(context: ToolCallHookContext) -> Any:
    """Dispatch ``post_tool_call`` and return the result.

    Raises:
        HookAborted: a hook stopped the run.
    """
    message = message_of(context)
    if message is not None:
        context.tool_result = context.raw_tool_result = message
    dispatch(
        InterceptionPoint.POST_TOOL_CALL,
        context,
        reducer=after_tool_call_reducer,
        verbose=_verbose(context),
    )
    return context.tool_result


def _verbose(context: ToolCallHookContext) -> bool:
    return bool(getattr(context.agent, "verbose", False))


def __getattr__(name: str) -> Any:
    # CrewAI's listener, when CrewAI is there; its users patch it in this module.
    if name == "event_listener":
        module = sys.modules.get("crewai.events.event_listener")
        return getattr(module, "event_listener", None)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
