"""Hooks around model calls, in CrewAI's older way of registering them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ._calls import LLMCallHookContext
from ._dialect import LegacyHookBlocked
from ._points import InterceptionPoint
from ._prepare import after_llm_call_reducer, before_llm_call_reducer
from ._registration import Family

__all__ = [
    "LLMCallHookContext",
    "LegacyHookBlocked",
    "after_llm_call_reducer",
    "before_llm_call_reducer",
    "clear_after_llm_call_hooks",
    "clear_all_llm_call_hooks",
    "clear_before_llm_call_hooks",
    "get_after_llm_call_hooks",
    "get_before_llm_call_hooks",
    "model_call_hooks_already_dispatched",
    "model_call_hooks_dispatched",
    "register_after_llm_call_hook",
    "register_before_llm_call_hook",
    "unregister_after_llm_call_hook",
    "unregister_before_llm_call_hook",
]

_before = Family(InterceptionPoint.PRE_MODEL_CALL)
_after = Family(InterceptionPoint.POST_MODEL_CALL)

_before_llm_call_hooks = _before.hooks
_after_llm_call_hooks = _after.hooks

register_before_llm_call_hook = _before.register
register_after_llm_call_hook = _after.register
unregister_before_llm_call_hook = _before.unregister
unregister_after_llm_call_hook = _after.unregister
get_before_llm_call_hooks = _before.get
get_after_llm_call_hooks = _after.get
clear_before_llm_call_hooks = _before.clear
clear_after_llm_call_hooks = _after.clear


def clear_all_llm_call_hooks() -> tuple[int, int]:
    """Unregister all hooks of model calls; return how many stood before and after the call."""
    return _before.clear(), _after.clear()


_dispatched: ContextVar[bool] = ContextVar("hookcore_crewai_model_call", default=False)


@contextmanager
def model_call_hooks_dispatched() -> Iterator[None]:
    """Mark a block in which the model's own layer must not dispatch a second time."""
    token = _dispatched.set(True)
    try:
        yield
    finally:
        _dispatched.reset(token)


def model_call_hooks_already_dispatched() -> bool:
    """Tell whether somebody around the call has dispatched its hooks already."""
    return _dispatched.get()


def __getattr__(name: str) -> Any:
    # CrewAI's listener, when CrewAI is there; its users patch it in this module.
    if name == "event_listener":
        module = sys.modules.get("crewai.events.event_listener")
        return getattr(module, "event_listener", None)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
