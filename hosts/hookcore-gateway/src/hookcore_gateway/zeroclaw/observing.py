"""The adapters of the points that tell handlers of something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookcore.hosting import copy_payload
from hookcore_specs import (
    GatewayContext,
    MessageContext,
    ModelCallContext,
    SessionContext,
    ToolCallContext,
)

from .awaiting import settled
from .invocation import ended
from .types import as_response, as_result

if TYPE_CHECKING:
    from .handler import HookHandler

# The handlers of one dispatch share its copy of the payload; each is given one of its own here.


async def gateway_start(handler: HookHandler, ctx: GatewayContext) -> None:
    """Tell where the gateway listens."""
    await settled(handler.on_gateway_start(ctx.host or "", ctx.port or 0))


async def gateway_stop(handler: HookHandler, _ctx: GatewayContext) -> None:
    """Tell that the gateway ends."""
    await settled(handler.on_gateway_stop())


async def heartbeat_tick(handler: HookHandler, _ctx: GatewayContext) -> None:
    """Tell of a heartbeat."""
    await settled(handler.on_heartbeat_tick())


async def session_start(handler: HookHandler, ctx: SessionContext) -> None:
    """Tell that a session begins."""
    await settled(handler.on_session_start(ctx.session_id or "", ctx.channel or ""))


async def session_end(handler: HookHandler, ctx: SessionContext) -> None:
    """Tell that a session ends."""
    await settled(handler.on_session_end(ctx.session_id or "", ctx.channel or ""))


async def message_sent(handler: HookHandler, ctx: MessageContext) -> None:
    """Tell what was delivered."""
    sent = ctx.payload
    await settled(handler.on_message_sent(sent.channel, sent.recipient, sent.content))


async def model_input(handler: HookHandler, ctx: ModelCallContext) -> None:
    """Tell what is sent to the model."""
    await settled(handler.on_llm_input(copy_payload(ctx.messages), ctx.model or ""))


async def model_output(handler: HookHandler, ctx: ModelCallContext) -> None:
    """Tell what the model answered."""
    await settled(handler.on_llm_output(as_response(copy_payload(ctx.response))))


async def tool_finished(handler: HookHandler, ctx: ToolCallContext) -> None:
    """Tell how a tool call ended: it was executed, with success or not, or abandoned."""
    context, tool = ended(ctx), str(ctx.tool_name)
    # A tool that raised was executed; what failed before it, or was denied after it, was not.
    executed = ctx.status == "ok" or (ctx.status == "error" and ctx.entered)
    if not executed:
        await settled(handler.on_tool_call_abandoned(context, tool))
        return
    result = copy_payload(as_result(ctx))
    duration = (ctx.duration_ms or 0.0) / 1000.0
    # Only the older methods of a runner do not know the arguments; the end is told all the same.
    args = copy_payload(ctx.tool_input)
    await settled(
        handler.on_after_tool_call_with_context_and_args(context, tool, args, result, duration)
    )
