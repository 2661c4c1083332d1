"""Descriptors that mark a method as a hook and bind it to the instance it is read from."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = [
    "AfterLLMCallHookMethod",
    "AfterToolCallHookMethod",
    "BeforeLLMCallHookMethod",
    "BeforeToolCallHookMethod",
]


class _HookMethod:
    """A method that is a hook of each instance."""

    def __init__(self, meth: Callable[..., Any], agents: list[str] | None = None) -> None:
        self._meth = meth
        self.agents = agents
        functools.update_wrapper(self, meth, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method as it stands in the class."""
        return self._meth(*args, **kwargs)

    def __get__(self, obj: Any, objtype: type[Any] | None = None) -> Any:
        """Return the hook bound to ``obj``; itself when read from the class."""
        if obj is None:
            return self
        return functools.partial(self._meth, obj)


class _ToolHookMethod(_HookMethod):
    """A method that is a hook of tool calls."""

    def __init__(
        self,
        meth: Callable[..., Any],
        tools: list[str] | None = None,
        agents: list[str] | None = None,
    ) -> None:
        super().__init__(meth, agents)
        self.tools = tools


class BeforeLLMCallHookMethod(_HookMethod):
    """A method that stands before model calls."""

    is_before_llm_call_hook: bool = True


class AfterLLMCallHookMethod(_HookMethod):
    """A method that stands after model calls."""

    is_after_llm_call_hook: bool = True


class BeforeToolCallHookMethod(_ToolHookMethod):
    """A method that stands before tool calls."""

    is_before_tool_call_hook: bool = True


class AfterToolCallHookMethod(_ToolHookMethod):
    """A method that stands after tool calls."""

    is_after_tool_call_hook: bool = True
