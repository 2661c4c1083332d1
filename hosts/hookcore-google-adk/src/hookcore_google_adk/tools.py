"""A tool of the ADK's, each call of which is judged."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Awaitable, Callable
from types import FunctionType
from typing import Any

from hookcore import Denied, HookManager
from hookcore.hosting import BodyFailed, Handle, Raised, is_inside_tool, stopping

__all__ = ["ToolFailedError", "WaitingForPerson", "judged_tool"]

_PLAIN = (str, int, float, bool)


class ToolFailedError(Exception):
    """The failure of a tool that tells of it in its result."""


class WaitingForPerson(Exception):  # noqa: N818 - it says what happened, and is no error
    """Raised where a tool has asked a person, and has no result yet."""

    def __init__(self, result: Any) -> None:
        super().__init__("the tool waits for a person")
        self.result = result


async def judged_tool(
    manager: HookManager,
    tool: Any,
    run: Callable[..., Awaitable[Any]],
    args: dict[str, Any],
    tool_context: Any,
) -> Any:
    """Run a tool as the policies let it run; the model reads a denial as the tool's error.

    Args:
        manager: the hooks.
        tool: the tool.
        run: its class's own ``run_async``.
        args: what the model calls it with.
        tool_context: the ADK's.
    """
    call_id = tool_context.function_call_id
    if manager.parts.plans.tools_are_idle or is_inside_tool(
        manager, tool.name, args, call_id=call_id
    ):
        return await run(tool, args=args, tool_context=tool_context)
    own = Raised()

    async def body(settled: dict[str, Any]) -> Any:
        with own:
            result = await run(tool, args=settled, tool_context=tool_context)
        if _has_asked(tool_context):
            raise WaitingForPerson(result)
        problem = _problem(result)
        if problem is not None:
            raise BodyFailed(result, ToolFailedError(problem))
        return result

    try:
        with stopping(own, WaitingForPerson):
            value = await manager.acall_tool(
                tool.name,
                _with_defaults(tool, args),
                body,
                on_denied="return",
                call_id=call_id,
                tool=Handle(tool),
                agent=getattr(tool_context, "agent_name", None),
            )
    except WaitingForPerson as waiting:
        return waiting.result
    return {"error": str(value)} if isinstance(value, Denied) else value


def _has_asked(tool_context: Any) -> bool:
    """Return whether the call waits for an approval or a credential."""
    actions, call_id = tool_context.actions, tool_context.function_call_id
    return any(
        call_id in asked
        for asked in (actions.requested_tool_confirmations, actions.requested_auth_configs)
    )


def _problem(result: Any) -> str | None:
    """Return what a result tells of a failure: that is how the ADK's own tools tell of theirs."""
    if not isinstance(result, dict):
        return None
    if result.get("error"):
        return str(result["error"])
    return str(result.get("content")) if result.get("isError") else None


def _with_defaults(tool: Any, args: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with the plain defaults of the tool's function, for gates to judge."""
    function = getattr(tool, "func", None)
    function = getattr(function, "__func__", function)
    known = _known.get(function) if type(function) is FunctionType else _defaults(function)
    if known is None:
        known = _known[function] = _defaults(function)
    defaults = {name: value for name, value in known.items() if name not in args}
    return {**args, **defaults} if defaults else args


def _defaults(function: Any) -> dict[str, Any]:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # no function, or one that tells nothing
        return {}
    told = {name: parameter.default for name, parameter in parameters.items()}
    return {name: value for name, value in told.items() if type(value) in _PLAIN}


_known: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()
"""The plain defaults of functions: to read a signature takes longer than to ask a gate."""
