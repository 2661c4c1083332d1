"""Tools that CrewAI's model layer runs by itself, and arguments that hooks could not edit."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from hookcore_specs import HookAborted

from ._patches import Patches
from .hooks._calls import ToolCallHookContext
from .hooks.tool_hooks import run_after_tool_call_hooks, run_before_tool_call_hooks

__all__ = ["patch"]


def patch(patches: Patches) -> None:
    """Put the tool hooks around functions that a model object calls, and keep arguments shared."""
    from crewai.llm import LLM
    from crewai.llms.base_llm import BaseLLM
    from crewai.tools.tool_usage import ToolUsage

    patches.set(BaseLLM, "_handle_tool_execution", _by_name(BaseLLM._handle_tool_execution))
    patches.set(LLM, "_handle_tool_call", _by_call(LLM._handle_tool_call))
    patches.set(ToolUsage, "parse_tool_calling", _shared(ToolUsage.parse_tool_calling))


def _by_name(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def handle(  # noqa: PLR0917 - CrewAI's signature
        self: Any,
        function_name: str,
        function_args: Any,
        available_functions: Any,
        from_task: Any = None,
        from_agent: Any = None,
    ) -> Any:
        guards = _Guards(available_functions, from_task, from_agent)
        result = method(self, function_name, function_args, guards.functions, from_task, from_agent)
        return guards.passed(result)

    return handle


def _by_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def handle(
        self: Any,
        tool_calls: Any,
        available_functions: Any = None,
        from_task: Any = None,
        from_agent: Any = None,
    ) -> Any:
        guards = _Guards(available_functions, from_task, from_agent)
        return guards.passed(method(self, tool_calls, guards.functions, from_task, from_agent))

    return handle


class _Guards:
    """The functions that a model object may call, with the tool hooks around each."""

    def __init__(self, functions: Any, task: Any, agent: Any) -> None:
        self._task = task
        self._agent = agent
        self._abort: HookAborted | None = None
        #: What is given to the model object in the functions' place.
        self.functions = functions
        if functions:
            self.functions = {name: self._guard(name, call) for name, call in functions.items()}

    def passed(self, result: Any) -> Any:
        """Return the result; raise the abort that the model object has taken for a tool's error."""
        if self._abort is not None:
            raise self._abort
        return result

    def _guard(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def run(**arguments: Any) -> Any:
            before = self._context(name, arguments, call)
            if run_before_tool_call_hooks(before):
                result: Any = f"Tool execution blocked by hook. Tool: {name}"
            else:
                try:
                    result = call(**arguments)
                except Exception as error:
                    seen = f"Error executing tool: {error}"
                    changed = self._changed(name, arguments, call, seen, error)
                    if changed == seen:
                        raise
                    return changed
            changed = self._changed(name, arguments, call, result)
            return result if changed == _as_text(result) else changed

        return run

    def _changed(
        self,
        name: str,
        arguments: dict[str, Any],
        call: Any,
        result: Any,
        error: Exception | None = None,
    ) -> str | None:
        """Return what the hooks after a call make of its result."""
        after = self._context(name, arguments, call)
        after.tool_result, after.raw_tool_result = _as_text(result), result
        after.error = error
        try:
            changed: str | None = run_after_tool_call_hooks(after)
        except HookAborted as aborted:
            self._abort = aborted
            raise
        return changed

    def _context(self, name: str, arguments: dict[str, Any], call: Any) -> ToolCallHookContext:
        crew = getattr(self._agent, "crew", None)
        return ToolCallHookContext(name, arguments, call, self._agent, self._task, crew)


def _as_text(result: Any) -> str:
    return result if isinstance(result, str) else str(result)


class _StableArguments(dict[str, Any]):
    """Empty arguments that stay the object they are.

    CrewAI gives hooks a new dict in the place of a false one, and calls the tool with the other.
    """

    def __bool__(self) -> bool:
        return True


def _shared(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def parse(self: Any, *args: Any, **kwargs: Any) -> Any:
        calling = method(self, *args, **kwargs)
        if getattr(calling, "arguments", True) in (None, {}):
            calling.arguments = _StableArguments()
        return calling

    return parse
