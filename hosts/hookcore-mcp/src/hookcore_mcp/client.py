"""The tool calls of clients, governed, and the sampling that they do for servers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types

import hookcore
from hookcore import Denied, HookManager, get_manager
from hookcore.hosting import Handle, is_inside_tool

from .host import HOST
from .results import NotYetError, denied, restored, shown

__all__ = ["governed", "sampling"]


def governed(
    original: Callable[..., Any], hooks: Callable[[], HookManager | None]
) -> Callable[..., Any]:
    """Return the method of clients that calls tools, governed.

    Args:
        original: the SDK's own.
        hooks: gives the hooks that are in force, if any are.
    """

    @functools.wraps(original)
    async def call_tool(
        self: Any, name: str, arguments: Any = None, *args: Any, **options: Any
    ) -> Any:
        manager = hooks()
        given = arguments or {}
        if manager is None or is_inside_tool(manager, name, given):
            return await original(self, name, arguments, *args, **options)
        results: list[Any] = []

        async def body(settled: dict[str, Any]) -> Any:
            result = await original(self, name, settled, *args, **options)
            if not isinstance(result, types.CallToolResult):
                raise NotYetError(result)
            results.append(result)
            return shown(_as_json(result))

        try:
            value = await manager.acall_tool(
                name, given, body, on_denied="return", tool=Handle(self)
            )
        except NotYetError as error:
            return error.result
        if isinstance(value, Denied):
            return types.CallToolResult.model_validate(denied(value))
        before = _as_json(results[-1]) if results else None
        after = restored(value, before)
        return results[-1] if after is before else types.CallToolResult.model_validate(after)

    return call_tool


def _as_json(result: Any) -> dict[str, Any]:
    given: dict[str, Any] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return given


def sampling(
    callback: Callable[..., Any], manager: HookManager | None = None
) -> Callable[..., Any]:
    """Return a sampling callback, each of whose calls is a model call that policies judge.

    ``Client(..., sampling_callback=sampling(callback))``. A denial is an error for the server,
    whose text is the policy's message.

    Args:
        callback: the program's own.
        manager: the hooks; the process-wide manager when None.
    """
    hooks = get_manager() if manager is None else manager
    HOST.declare(hooks)

    @functools.wraps(callback)
    async def governed(context: Any, params: Any) -> Any:
        results: list[Any] = []
        system = [] if params.system_prompt is None else [_System(params.system_prompt)]

        async def body(messages: list[Any]) -> Any:
            prompts = [message for message in messages if isinstance(message, _System)]
            rest = [message for message in messages if not isinstance(message, _System)]
            prompt = "\n".join(message.content for message in prompts) if prompts else None
            changed = {"messages": rest, "system_prompt": prompt}
            results.append(await callback(context, params.model_copy(update=changed)))
            return results[-1]

        value = await hooks.acall_model(
            [*system, *params.messages], body, on_denied="return", provider="mcp"
        )
        if isinstance(value, Denied):
            return types.ErrorData(code=_DENIED, message=value.message)
        if isinstance(value, hookcore.ModelResponse):
            value = value.content
        if not isinstance(value, str):
            return value
        content = types.TextContent(type="text", text=value)
        if results and isinstance(results[-1], types.CreateMessageResult):
            return results[-1].model_copy(update={"content": content})
        return types.CreateMessageResult(role="assistant", content=content, model="policy")

    return governed


_DENIED = -1
"""The code by which MCP's clients say that a person refused; a policy refuses likewise."""


@dataclass
class _System:
    """A system prompt among the messages."""

    content: str
    role: str = "system"
