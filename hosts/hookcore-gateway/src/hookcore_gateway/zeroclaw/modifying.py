"""The adapters of the points where handlers go on with a value or cancel.

A handler gets a copy, and its value is taken over as a whole or, when it has failed, not at all.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hookcore.hosting import copy_payload, digest
from hookcore_specs import (
    HookAborted,
    MessageContext,
    ModelCallContext,
    ModelChoice,
    ToolCallContext,
)

from .awaiting import settled
from .invocation import begun
from .result import HookResult
from .types import ChannelMessage, from_core, to_core

if TYPE_CHECKING:
    from .handler import HookHandler

_log = logging.getLogger("hookcore")


async def message_received(handler: HookHandler, ctx: MessageContext) -> None:
    """Let a handler change or drop a message that came in."""
    before = from_core(copy_payload(ctx.payload))
    answer = handler.on_message_received(copy_payload(before))
    after = await _continued(handler, "on_message_received", answer)
    _check(handler, "on_message_received", after, ChannelMessage)
    if after != before:
        ctx.payload = to_core(after, ctx.payload)


async def message_sending(handler: HookHandler, ctx: MessageContext) -> None:
    """Let a handler change or keep back a message that is about to leave."""
    sent = ctx.payload
    before = (sent.channel, sent.recipient, sent.content)
    answer = handler.on_message_sending(*before)
    after = await _continued(handler, "on_message_sending", answer)
    _check(handler, "on_message_sending", after, str, str, str)
    if after != before:
        channel, recipient, content = after
        ctx.payload = replace(sent, channel=channel, recipient=recipient, content=content)


async def model_resolve(handler: HookHandler, ctx: ModelCallContext) -> None:
    """Let a handler choose the model."""
    before = (ctx.payload.provider, ctx.payload.model)
    answer = handler.before_model_resolve(*before)
    after = await _continued(handler, "before_model_resolve", answer)
    _check(handler, "before_model_resolve", after, str, str)
    if after != before:
        ctx.payload = ModelChoice(*after)


async def prompt_build(handler: HookHandler, ctx: ModelCallContext) -> None:
    """Let a handler change the prompt."""
    answer = handler.before_prompt_build(ctx.payload)
    after = await _continued(handler, "before_prompt_build", answer)
    _check(handler, "before_prompt_build", after, str)
    if after != ctx.payload:
        ctx.payload = after


async def pre_model_call(handler: HookHandler, ctx: ModelCallContext) -> None:
    """Let a handler change the messages and the model, or deny the call."""
    messages: Any = copy_payload(ctx.messages)
    model = ctx.model or ""
    answer = handler.before_llm_call(messages, model)
    after = await _continued(handler, "before_llm_call", answer)
    if after is not None:
        _check(handler, "before_llm_call", after, list, str)
        messages, model = after
    if _differ(messages, ctx.messages):
        ctx.messages = messages
    if model != (ctx.model or ""):
        ctx.model = model


async def pre_tool_call(handler: HookHandler, ctx: ToolCallContext) -> None:
    """Let a handler change or deny a tool call."""
    name, args = str(ctx.tool_name), copy_payload(ctx.tool_input)
    answer = handler.before_tool_call_with_context(begun(ctx), name, args)
    after = await _continued(handler, "before_tool_call", answer)
    _check(handler, "before_tool_call", after, str, dict)
    if _differ(after[1], ctx.tool_input):
        ctx.tool_input = after[1]
    if after[0] != name:
        ctx.tool_name = after[0]


async def _continued(handler: HookHandler, method: str, answer: Any) -> Any:
    """Return the value that a handler goes on with.

    Raises:
        HookAborted: it cancels.
        TypeError: its answer is none.
    """
    result = await settled(answer)
    if not isinstance(result, HookResult):
        raise TypeError(
            f"{handler.name()}.{method}() returns HookResult.Continue or HookResult.Cancel, not "
            f"{type(result).__name__}"
        )
    if result.is_cancel():
        _log.info("%s.%s cancelled: %s", handler.name(), method, result.reason)
        raise HookAborted(str(result.reason), source=handler.name())
    return result.value


def _differ(one: Any, other: Any) -> bool:
    # Python takes True for 1, and a tool may not.
    return bool(one != other) or digest(one) != digest(other)


def _check(handler: HookHandler, method: str, value: Any, *types: type) -> None:
    """Refuse a value that does not consist of parts of these types."""
    parts = value if len(types) > 1 else (value,)
    right = isinstance(parts, tuple) and len(parts) == len(types)
    if not right or not all(isinstance(p, t) for p, t in zip(parts, types, strict=True)):
        words = ", ".join(kind.__name__ for kind in types)
        raise TypeError(f"{handler.name()}.{method}() goes on with ({words}), not with that")
