"""The adapters of the points of model calls and tool calls."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

from hookcore.hosting import closing, source_of
from hookcore_specs import HookAborted, ModelCallContext, ToolCallContext

from ..callrecord import CallRecord
from ..errors import AgentProtocolError
from ..messages import ToolMessage, wire_call
from ..modelcalls import model_request, started
from ..models import ModelRequest
from ..tools import ToolResult
from .awaiting import settled
from .part import Find, Part

# Model calls


async def before_model(binding: Part, ctx: ModelCallContext) -> None:
    """Show the extension the request as it stands, and take over what it changed."""
    context = binding.context
    context._working = ctx.payload
    before = list(context._registry.values())
    await settled(binding.extension.before_model(context, model_request(context, ctx, ctx.payload)))
    if context._working is not ctx.payload:
        ctx.payload = context._working
    _take_tools(ctx, before, list(context._registry.values()))
    await context._flush()


def _take_tools(ctx: ModelCallContext, before: list[Any], after: list[Any]) -> None:
    """Offer what was registered and nothing that was removed; policies' own changes stay."""
    gone = [tool for tool in before if tool not in after]
    new = [tool for tool in after if tool not in before]
    if gone or new:
        ctx.tools = [*(tool for tool in ctx.tools if tool not in gone), *new]


def around_model(find: Find) -> Callable[..., AsyncIterator[Any]]:
    """Return the hook that puts the extension around the stream."""

    async def hook(ctx: ModelCallContext, call_next: Callable[..., Any]) -> AsyncIterator[Any]:
        binding = find(ctx)
        if binding is None:
            async with closing(call_next().__aiter__()) as inner:
                async for event in inner:
                    yield event
            return
        context = binding.context
        await started(context)
        request = model_request(context, ctx, ctx.payload)
        stream = binding.extension.on_model_request(context, request, _inward(ctx, call_next))
        async with closing(await source_of(stream)) as events:
            async for event in events:
                yield event

    return hook


def _inward(
    ctx: ModelCallContext, call_next: Callable[..., Any]
) -> Callable[[ModelRequest], AsyncGenerator[Any, None]]:
    async def inward(request: ModelRequest) -> AsyncGenerator[Any, None]:
        before = (ctx.tools, ctx.model, ctx.provider)
        ctx.tools = [*request.tools, *request.server_tools]
        ctx.model, ctx.provider = request.model, request.provider
        try:
            async with closing(call_next(list(request.messages)).__aiter__()) as events:
                async for event in events:
                    yield event
        finally:
            ctx.tools, ctx.model, ctx.provider = before

    return inward


# Tool calls


def _record(binding: Part, ctx: ToolCallContext) -> CallRecord | None:
    return binding.context._records.get(str(ctx.call_id))


async def before_tool(binding: Part, ctx: ToolCallContext) -> None:
    """Let the extension change the call; what it changed shows in the conversation too."""
    record = _record(binding, ctx)
    if record is None:
        return
    call = record.call
    call.arguments = ctx.payload
    written = wire_call(call)
    await settled(binding.extension.before_tool(binding.context, call))
    if not isinstance(call.arguments, dict):
        raise AgentProtocolError(
            f"extension {binding.extension.name} left arguments that are no dict for {call.name}"
        )
    if call.arguments is not ctx.payload:
        ctx.payload = call.arguments
    if call.name != ctx.tool_name:
        ctx.tool_name = call.name
    if wire_call(call) != written:
        _rewrite(binding, wire_call(call))


def _rewrite(binding: Part, changed: dict[str, Any]) -> None:
    context = binding.context
    for messages in (context.session.messages, context._working or []):
        for message in messages:
            for entry in message.get("tool_calls") or ():
                if entry["id"] == changed["id"]:
                    entry.update(changed)


def around_tool(find: Find) -> Callable[..., Any]:
    """Return the hook that puts the extension around the tool."""

    async def hook(ctx: ToolCallContext, call_next: Callable[..., Any]) -> Any:
        binding = find(ctx)
        record = None if binding is None else _record(binding, ctx)
        if binding is None or record is None:
            return await call_next()
        await record.enter()
        call = record.call
        call.arguments = ctx.payload

        async def inward() -> ToolResult:
            return ToolResult(await call_next(call.arguments))

        try:
            result = await settled(binding.extension.on_tool_call(binding.context, call, inward))
        except Exception as error:
            # A denial from further inside stays one; so does the extension's own.
            if not isinstance(error, HookAborted):
                record.own_error = error
            raise
        return result.content if isinstance(result, ToolResult) else result

    return hook


async def after_tool(binding: Part, ctx: ToolCallContext) -> None:
    """Show the extension the message for the model, and take over what it changed."""
    record = _record(binding, ctx)
    if record is None:
        return
    message = await _told(record, ctx.tool_result, ctx.error)
    content, failed = message.content, message.is_error
    await settled(binding.extension.after_tool(binding.context, record.call, message, ctx.error))
    if ctx.error is not None:
        if not message.is_error:
            ctx.tool_result = message.content
    elif message.content != content or message.is_error is not failed:
        ctx.tool_result = message.content


async def _told(record: CallRecord, result: Any, error: BaseException | None) -> ToolMessage:
    await record.leave()
    await record.settle()
    record.told = True
    return record.answer(result, error)


async def after_failure(binding: Part, record: CallRecord, error: Exception) -> None:
    """Show the extension the message about a call that an extension's middleware failed."""
    message = await _told(record, None, error)
    await settled(binding.extension.after_tool(binding.context, record.call, message, error))
