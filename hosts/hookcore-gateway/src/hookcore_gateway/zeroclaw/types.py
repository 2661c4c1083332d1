"""The shapes that handlers are given, and how they come from the dispatcher's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any

from hookcore_specs import ChannelMessage as CoreMessage
from hookcore_specs import ModelResponse, ToolCallContext

__all__ = ["ChannelMessage", "ChatMessage", "ChatResponse", "ToolResult"]


@dataclass(slots=True)
class ChatMessage:
    """A message of a conversation, for hosts that have no shape of their own."""

    role: str
    content: str


@dataclass(slots=True)
class ChatResponse:
    """A model's answer; ``usage`` maps kinds of tokens to counts."""

    text: str | None = None
    tool_calls: list[Any] = field(default_factory=list)
    usage: Mapping[str, int] | None = None
    reasoning_content: str | None = None


@dataclass(slots=True)
class ToolResult:
    """The result of a tool call that was executed."""

    success: bool
    output: str
    error: str | None = None


@dataclass(slots=True, kw_only=True)
class ChannelMessage:
    """A message that came in; ``timestamp`` is in seconds since the epoch."""

    id: str
    sender: str
    reply_target: str
    content: str
    channel: str
    timestamp: float | None = None
    channel_alias: str | None = None
    thread_ts: str | None = None
    interruption_scope_id: str | None = None
    attachments: list[Any] = field(default_factory=list)
    subject: str | None = None
    internal_sop_event: Any = None
    passive_context: bool = False
    explicitly_addressed: bool = False
    conversation_scope: str | None = None
    references: list[str] = field(default_factory=list)


_SAME = ("sender", "content", "channel", "timestamp", "attachments", "subject")
_RENAMED = ("id", "thread_ts")
_KEY = "zeroclaw"


def _own_fields(sender: str) -> dict[str, Any]:
    """Return the fields that only this row has, with what they are when nobody says."""
    found = {
        item.name: item.default if item.default_factory is MISSING else item.default_factory()
        for item in fields(ChannelMessage)
        if item.name not in (*_SAME, *_RENAMED)
    }
    return {**found, "reply_target": sender}


def from_core(message: CoreMessage) -> ChannelMessage:
    """Return a message as handlers see it.

    Args:
        message: the message at ``message_received``; what only this row has lies in its metadata.
    """
    own = message.metadata.get(_KEY)
    said = own if isinstance(own, dict) else {}
    return ChannelMessage(
        id=message.id or "",
        thread_ts=message.thread,
        **{name: getattr(message, name) for name in _SAME},
        **{name: said.get(name, value) for name, value in _own_fields(message.sender).items()},
    )


def to_core(message: ChannelMessage, before: CoreMessage | None = None) -> CoreMessage:
    """Return a message for ``message_received``.

    Args:
        message: what a handler, or the caller of a runner, has.
        before: the message that it was made of; its recipient and other metadata are kept.
    """
    core = before or CoreMessage(
        channel=message.channel, sender=message.sender, recipient="", content=""
    )
    metadata = {key: value for key, value in core.metadata.items() if key != _KEY}
    own = {
        name: getattr(message, name)
        for name, value in _own_fields(message.sender).items()
        if getattr(message, name) != value
    }
    return replace(
        core,
        id=message.id or None,
        thread=message.thread_ts,
        metadata={**metadata, _KEY: own} if own else metadata,
        **{name: getattr(message, name) for name in _SAME},
    )


def as_response(response: Any) -> Any:
    """Return a model's answer as handlers see it; a host's own kind stays what it is."""
    if not isinstance(response, ModelResponse):
        return response
    return ChatResponse(response.content, list(response.tool_calls), response.usage)


def as_result(ctx: ToolCallContext) -> ToolResult:
    """Return what came of an executed tool call.

    Args:
        ctx: the context at ``tool_finished``.
    """
    if isinstance(ctx.tool_result, ToolResult):
        return ctx.tool_result
    error = None if ctx.error is None else f"{type(ctx.error).__name__}: {ctx.error}"
    return ToolResult(ctx.status == "ok", _text(ctx.tool_result), error)


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, default=str)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
