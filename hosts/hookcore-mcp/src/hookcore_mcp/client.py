"""The requests of clients, governed, and the sampling that they do for servers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types

import hookcore
from hookcore import Denied, HookManager, get_manager
from hookcore.hosting import Handle, is_inside_model

from .host import HOST
from .judging import JUDGED, judge

__all__ = ["answering", "requesting", "sampling"]

Hooks = Callable[[], "HookManager | None"]
"""Gives the hooks that are in force, if any are."""
_PARAMS: Final = ("name", "arguments", "uri")
"""The params that are judged, of whichever request."""


def requesting(old: Callable[..., Any], hooks: Hooks) -> Callable[..., Any]:
    """Return the method of clients that sends requests of every sort, governed.

    Args:
        old: the SDK's own.
        hooks: gives the hooks that are in force, if any are.
    """

    async def send_request(self: Any, request: Any, *args: Any, **options: Any) -> Any:
        manager, method = hooks(), getattr(request, "method", None)
        if manager is None or method not in JUDGED:
            return await old(self, request, *args, **options)
        found = ((name, getattr(request.params, name, None)) for name in _PARAMS)
        given: dict[str, Any] = {name: value for name, value in found if value is not None}

        async def run(params: dict[str, Any]) -> Any:
            changed = {"params": request.params.model_copy(update=params)}
            return await old(self, request.model_copy(update=changed), *args, **options)

        fields: dict[str, Any] = {"tool": Handle(self)} if method == "tools/call" else {}
        return await judge(manager, method, given, run, **fields)

    return send_request


def answering(old: Callable[..., Any], hooks: Hooks) -> Callable[..., Any]:
    """Return the method of clients that answers what servers ask, with sampling governed."""

    async def dispatch_input_request(self: Any, ctx: Any, request: Any) -> Any:
        manager = hooks()
        if manager is None or not isinstance(request, types.CreateMessageRequest):
            return await old(self, ctx, request)

        async def asked(context: Any, params: Any) -> Any:
            return await old(self, context, request.model_copy(update={"params": params}))

        return await _sampled(manager, asked, ctx, request.params)

    return dispatch_input_request


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
        return await _sampled(hooks, callback, context, params)

    return governed


async def _sampled(
    manager: HookManager, callback: Callable[..., Any], context: Any, params: Any
) -> Any:
    """Return what a client answers a server that asks for a message."""
    results: list[Any] = []
    system = [] if params.system_prompt is None else [_System(params.system_prompt)]
    given = [*system, *params.messages]
    if is_inside_model(manager, given):
        return await callback(context, params)

    async def body(messages: list[Any]) -> Any:
        prompts = [message for message in messages if isinstance(message, _System)]
        rest = [message for message in messages if not isinstance(message, _System)]
        prompt = "\n".join(message.content for message in prompts) if prompts else None
        changed = {"messages": rest, "system_prompt": prompt}
        results.append(await callback(context, params.model_copy(update=changed)))
        return results[-1]

    value = await manager.acall_model(given, body, on_denied="return", provider="mcp")
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


_DENIED = -1
"""The code by which MCP's clients say that a person refused; a policy refuses likewise."""


@dataclass
class _System:
    """A system prompt among the messages."""

    content: str
    role: str = "system"
