"""Hooks that are only for some tools or agents, and which functions are methods."""

from __future__ import annotations

import functools
import glob
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from hookcore.hosting import stands_in_a_class
from hookcore.naming.names import agent_names_of, sanitize_tool_name
from hookcore_specs import HookOptions

__all__ = ["FilteredHook", "is_method", "original_of", "registered", "sanitized", "with_filters"]

HookFn = Callable[..., Any]


class FilteredHook:
    """A hook with its filters; called by hand it applies them, in a dispatch the plan does.

    Args:
        function: the hook.
        agents: the roles that it is for; None for all.
        tools: the sanitised names of the tools that it is for; None for all.
    """

    __wrapped__: HookFn
    __name__: str

    def __init__(self, function: HookFn, agents: list[str] | None, tools: list[str] | None) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.agents = agents
        self.tools = tools

    def __call__(self, ctx: Any) -> Any:
        """Call the hook when the context's tool and agent are among those that it is for."""
        if self.tools is not None:
            tool = getattr(ctx, "tool_name", None)
            if tool is not None and sanitize_tool_name(str(tool)) not in self.tools:
                return None
        if self.agents is not None and hasattr(ctx, "agent"):
            names = agent_names_of(ctx)
            if names and not any(name in self.agents for name in names):
                return None
        return self.function(ctx)

    def options(self, *, has_tool: bool) -> HookOptions:
        """Return the filters in hookcore's terms; there a role stands for its spellings too."""
        agents = None if self.agents is None else [glob.escape(role) for role in self.agents]
        return HookOptions.checked(tools=self.tools if has_tool else None, agents=agents)


def registered(hook: HookFn) -> HookFn:
    """Return what a manager calls for a hook: what compares roles exactly, where roles count."""
    if not isinstance(hook, FilteredHook) or hook.agents is None:
        original: HookFn = original_of(hook)
        return original
    if not inspect.iscoroutinefunction(hook.function):
        return hook

    @functools.wraps(hook.function)
    async def awaited(ctx: Any) -> Any:
        answer = hook(ctx)
        return None if answer is None else await answer

    return awaited


def with_filters(function: HookFn, agents: Any, tools: Any) -> HookFn:
    """Return the hook with its filters; itself when there are none."""
    if not agents and not tools:
        return function
    hook = FilteredHook(function, _listed("agents", agents), _listed("tools", tools))
    hook.options(has_tool=True)  # wrong values are refused where they are written
    return hook


def sanitized(tools: Iterable[str] | None) -> list[str] | None:
    """Return the tools' names as CrewAI's runtime writes them; None for no filter."""
    names = _listed("tools", tools)
    return None if names is None else [sanitize_tool_name(name) for name in names]


def _listed(option: str, names: Any) -> list[str] | None:
    if not names:
        return None
    if isinstance(names, str):
        raise TypeError(f"{option}= takes a list of names: write {option}=[{names!r}]")
    return list(names)


def original_of(hook: Any) -> Any:
    """Return the function that a hook with filters was made from, any other hook as it is."""
    return hook.function if isinstance(hook, FilteredHook) else hook


def is_method(function: Any) -> bool:
    """Tell whether a function is to be bound when there is an instance.

    It stands in a class body and takes more than the context. What takes the context only, such as
    a static method, is a hook as it stands: if it waited for an instance, it would never run.
    """
    if isinstance(function, classmethod):
        return True
    if isinstance(function, staticmethod) or not stands_in_a_class(function):
        return False
    code = getattr(inspect.unwrap(function), "__code__", None)
    takes_any = code is not None and bool(code.co_flags & inspect.CO_VARARGS)
    return code is None or takes_any or code.co_argcount > 1
