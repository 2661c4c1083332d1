"""A streamed response's events as policies read and rewrite them, and what they amount to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    BaseToolCallPart,
    CompactionPart,
    FilePart,
    FinalResultEvent,
    ModelResponse,
    NativeToolReturnPart,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

from hookcore.hosting import DefaultCodec, PartsCodec, neutral_response
from hookcore.streaming import Parts, StreamCall, StreamText

__all__ = ["Codec", "as_response"]

_OWN = DefaultCodec()
"""Reads what a wrap may yield of hookcore's own."""


class Codec(PartsCodec):
    """Reads starts and deltas of parts; what else the framework tells it says again by itself.

    Args:
        assemble: gives the response that events amount to.
    """

    def __init__(self, assemble: Callable[[Sequence[Any]], Any]) -> None:
        self._assemble = assemble

    def parts(self, event: Any) -> Parts | None:
        """Return what an event is made of, None for one that cannot be read."""
        if isinstance(event, PartDeltaEvent):
            return _of_delta(event.delta, event.index)
        if isinstance(event, PartStartEvent):
            return _of_part(event.part, event.index)
        if isinstance(event, (FinalResultEvent, PartEndEvent)):
            return ()  # a part's end repeats what has come, and is told anew
        return _OWN.parts(event)

    def with_parts(self, event: Any, parts: Parts) -> Any:
        """Return an event like ``event`` with other parts."""
        if isinstance(event, PartDeltaEvent) and parts:
            return replace(event, delta=_put(event.delta, parts[0]))
        if isinstance(event, PartStartEvent) and parts:
            return replace(event, part=_put(event.part, parts[0]))
        return _OWN.with_parts(event, parts)

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the framework's response that the events amount to."""
        return self._assemble(events)

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the events of a response that hooks gave: itself."""
        del original
        return [as_response(response)]


def _of_part(part: Any, index: int) -> Parts | None:
    key = (part.part_kind, index)
    if isinstance(part, (TextPart, CompactionPart)):
        return (StreamText(part.content or "", key),)
    if isinstance(part, ThinkingPart):
        return (StreamText(part.content, key, thinking=True),)
    if isinstance(part, NativeToolReturnPart):
        return (StreamText(part.model_response_str(), key),)
    if isinstance(part, BaseToolCallPart):
        args = part.args
        text = args or "" if args is None or isinstance(args, str) else json.dumps(args)
        return (StreamCall((index,), part.tool_call_id, part.tool_name, text),)
    return () if isinstance(part, FilePart) else None


def _of_delta(delta: Any, index: int) -> Parts | None:
    if isinstance(delta, TextPartDelta):
        return (StreamText(delta.content_delta, ("text", index)),)
    if isinstance(delta, ThinkingPartDelta):
        text = delta.content_delta
        return () if text is None else (StreamText(text, ("thinking", index), thinking=True),)
    if isinstance(delta, ToolCallPartDelta) and not isinstance(delta.args_delta, dict):
        told = (delta.tool_call_id, delta.tool_name_delta, delta.args_delta or "")
        return (StreamCall((index,), *told),)
    return None  # arguments that are merged are no text that could be put together


def _put(holder: Any, part: Any) -> Any:
    """Return a part or a delta with what a part of ours says."""
    if isinstance(holder, ToolCallPartDelta):
        name = part.name if holder.tool_name_delta is not None else None
        return replace(holder, args_delta=part.arguments, tool_name_delta=name)
    if isinstance(holder, BaseToolCallPart):
        name = part.name or holder.tool_name
        return replace(holder, args=part.arguments or None, tool_name=name)
    if isinstance(holder, (TextPartDelta, ThinkingPartDelta)):
        return replace(holder, content_delta=part.text)
    return replace(holder, content=part.text)


def as_response(value: Any, like: ModelResponse | None = None) -> ModelResponse:
    """Return what a hook gave for a response as a response of the framework's.

    Args:
        value: its own, a text, or a :class:`hookcore.ModelResponse`.
        like: the response that the value took the place of, which knows the model and the usage.

    Raises:
        TypeError: the value is none of these.
    """
    if isinstance(value, ModelResponse):
        return value
    value = neutral_response(value, "pydantic_ai.messages.ModelResponse")
    parts: list[Any] = [ThinkingPart(value.thinking)] if value.thinking else []
    if value.content or not value.tool_calls:
        parts.append(TextPart(value.content))
    for call in value.tool_calls:
        named = {} if call.id is None else {"tool_call_id": call.id}
        parts.append(ToolCallPart(call.name, call.arguments, **named))
    return ModelResponse(parts=parts) if like is None else replace(like, parts=parts)
