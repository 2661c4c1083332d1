"""The four older decorators: bare, or with the agents and tools that a hook is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from ._filters import is_method, sanitized, with_filters
from ._points import InterceptionPoint
from ._registration import Family

__all__ = ["after_llm_call", "after_tool_call", "before_llm_call", "before_tool_call"]

_F = TypeVar("_F", bound=Callable[..., Any])


def _decorator(
    point: InterceptionPoint, marker: str, agents: list[str] | None, tools: list[str] | None
) -> Callable[[Any], Any]:
    names = sanitized(tools)

    def decorate(function: Any) -> Any:
        try:
            setattr(function, marker, True)
            if names:
                function._filter_tools = names
            if agents:
                function._filter_agents = agents
        except AttributeError:  # a bound method takes no attributes
            pass
        hook = with_filters(function, agents, names)
        if not is_method(function):
            Family(point).register(hook)
        return function

    return decorate


@overload
def before_llm_call(func: _F) -> _F: ...


@overload
def before_llm_call(
    func: None = None, *, agents: list[str] | None = None
) -> Callable[[_F], _F]: ...


def before_llm_call(func: Any = None, *, agents: list[str] | None = None) -> Any:
    """Register a hook before model calls; return it unchanged.

    Args:
        func: the hook, when the decorator stands bare.
        agents: the roles that it is for.
    """
    decorate = _decorator(InterceptionPoint.PRE_MODEL_CALL, "is_before_llm_call_hook", agents, None)
    return decorate if func is None else decorate(func)


@overload
def after_llm_call(func: _F) -> _F: ...


@overload
def after_llm_call(func: None = None, *, agents: list[str] | None = None) -> Callable[[_F], _F]: ...


def after_llm_call(func: Any = None, *, agents: list[str] | None = None) -> Any:
    """Register a hook after model calls; return it unchanged.

    Args:
        func: the hook, when the decorator stands bare.
        agents: the roles that it is for.
    """
    decorate = _decorator(InterceptionPoint.POST_MODEL_CALL, "is_after_llm_call_hook", agents, None)
    return decorate if func is None else decorate(func)


@overload
def before_tool_call(func: _F) -> _F: ...


@overload
def before_tool_call(
    func: None = None, *, tools: list[str] | None = None, agents: list[str] | None = None
) -> Callable[[_F], _F]: ...


def before_tool_call(
    func: Any = None, *, tools: list[str] | None = None, agents: list[str] | None = None
) -> Any:
    """Register a hook before tool calls; return it unchanged.

    Args:
        func: the hook, when the decorator stands bare.
        tools: the tools that it is for.
        agents: the roles that it is for.
    """
    decorate = _decorator(
        InterceptionPoint.PRE_TOOL_CALL, "is_before_tool_call_hook", agents, tools
    )
    return decorate if func is None else decorate(func)


@overload
def after_tool_call(func: _F) -> _F: ...


@overload
def after_tool_call(
    func: None = None, *, tools: list[str] | None = None, agents: list[str] | None = None
) -> Callable[[_F], _F]: ...


def after_tool_call(
    func: Any = None, *, tools: list[str] | None = None, agents: list[str] | None = None
) -> Any:
    """Register a hook after tool calls; return it unchanged.

    Args:
        func: the hook, when the decorator stands bare.
        tools: the tools that it is for.
        agents: the roles that it is for.
    """
    decorate = _decorator(
        InterceptionPoint.POST_TOOL_CALL, "is_after_tool_call_hook", agents, tools
    )
    return decorate if func is None else decorate(func)
