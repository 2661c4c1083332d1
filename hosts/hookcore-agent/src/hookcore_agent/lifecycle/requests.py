"""The adapters of the points that come once in a request or in a turn."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ..context import EventDelivery
from ..errors import AgentProtocolError, add_note
from ..messages import AssistantMessage, UserMessage, as_message
from ..modelcalls import responded
from ..requests import result_of
from .awaiting import settled
from .part import Part

if TYPE_CHECKING:
    from hookcore_specs import EventContext, ModelCallContext, RunContext, SetupContext, TurnContext


async def on_tool(binding: Part, ctx: SetupContext) -> None:
    """Let the extension register tools in the registry that the point is about."""
    context = binding.context
    context.tools = ctx.payload
    await settled(binding.extension.on_tool(context))
    ctx.payload = context.tools


async def on_state(binding: Part, ctx: SetupContext) -> None:
    """Let the extension change the conversation that the point is about."""
    context = binding.context
    context.session.data = ctx.payload
    await settled(binding.extension.on_state(context))
    ctx.payload = context.session.data


async def on_message(binding: Part, ctx: SetupContext) -> None:
    """Let the extension put another message in the place of the request's input."""
    if ctx.attributes.get("further"):
        return  # steering and queued input open no request
    context = binding.context
    if context.input_message.content != ctx.payload:
        context.input_message = UserMessage(ctx.payload)
    await settled(binding.extension.on_message(context))
    message: Any = context.input_message
    if not isinstance(message, UserMessage) or message.content is None:
        raise AgentProtocolError(
            f"extension {binding.extension.name} left {type(message).__name__} as the input, "
            "where a UserMessage with a content is needed"
        )
    if message.content is not ctx.payload:
        ctx.payload = message.content


async def before_run(binding: Part, ctx: RunContext) -> None:
    """Tell the extension that the run begins."""
    del ctx
    await settled(binding.extension.before_run(binding.context))


async def after_run(binding: Part, ctx: RunContext) -> None:
    """Show the extension the result."""
    if ctx.error is None:
        await settled(binding.extension.after_run(binding.context, _result(binding, ctx)))


async def on_success(binding: Part, ctx: RunContext) -> None:
    """Tell the extension that the request has succeeded."""
    if ctx.status == "completed":
        binding.saw_success = True
        await settled(binding.extension.on_success(binding.context, _result(binding, ctx)))


def _result(binding: Part, ctx: RunContext) -> Any:
    return result_of(binding.context, ctx.payload)


async def before_turn(binding: Part, ctx: TurnContext) -> None:
    """Let the extension change the turn's own messages and tools."""
    context = binding.context
    context._working = ctx.payload
    await settled(binding.extension.before_turn(context))
    if context._working is not ctx.payload:
        ctx.payload = context._working


async def after_turn(binding: Part, ctx: TurnContext) -> None:
    """Show the extension the message that opened the turn."""
    if ctx.error is not None:
        return
    message = as_message("" if ctx.payload is None else ctx.payload)
    if not isinstance(message, AssistantMessage):
        message = AssistantMessage(message.content)
    await settled(binding.extension.after_turn(binding.context, message))


async def after_model(binding: Part, ctx: ModelCallContext) -> None:
    """Show the extension the answer, once it is stored; the first failure ends the round."""
    context = binding.context
    if context._after_model_failed:
        return
    await responded(context, ctx.response)
    try:
        await settled(binding.extension.after_model(context, ctx.response))
    except BaseException:
        context._after_model_failed = True
        raise


async def on_event(binding: Part, ctx: EventContext) -> None:
    """Tell the extension of an event; the first failure ends the round, but not at the end."""
    delivery = ctx.attributes.get("delivery")
    if not isinstance(delivery, EventDelivery) or delivery.failed:
        return
    if delivery.target not in (None, binding.extension.name):
        return
    try:
        await settled(binding.extension.on_event(binding.context, delivery.event))
    except (Exception, asyncio.CancelledError) as error:
        original = delivery.original
        if original is None:
            delivery.failed = True
            raise
        if error is not original:
            name = binding.extension.name
            add_note(original, f"{name}.on_event failed too: {type(error).__name__}: {error}")
