"""The SDK's responses, and what hooks may give in their place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from agents.items import ModelResponse
from agents.usage import Usage
from openai.types.responses import (
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from hookcore.hosting import neutral_response
from hookcore.streaming import DefaultCodec

__all__ = ["Codec", "as_response"]


def as_response(value: Any, like: ModelResponse | None) -> ModelResponse:
    """Return what hooks left of a response as a response of the SDK's.

    Args:
        value: its own, a text, or a :class:`hookcore.ModelResponse`.
        like: the response that was shown to the hooks, None when the model was not asked.

    Raises:
        TypeError: the value is none of these.
    """
    if isinstance(value, ModelResponse):
        return value
    value = neutral_response(value, "agents.ModelResponse")
    output: list[Any] = [] if value.tool_calls and not value.content else [_message(value.content)]
    for at, call in enumerate(value.tool_calls):
        text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        told: Any = {"arguments": text, "call_id": call.id or f"call_{at}", "name": call.name}
        output.append(ResponseFunctionToolCall(type="function_call", **told))
    if like is None:
        return ModelResponse(output=output, usage=Usage(), response_id=None)
    return replace(like, output=output)


def _message(text: str) -> Any:
    content = ResponseOutputText(text=text, type="output_text", annotations=[])
    told: Any = {"id": "policy", "type": "message", "role": "assistant", "status": "completed"}
    return ResponseOutputMessage(content=[content], **told)


class Codec(DefaultCodec):
    """Reads the events as hookcore does, and shows hooks the response that they amount to."""

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the response that the last event sums up."""
        whole = _completed(events)
        if whole is None:
            return super().assemble(events)
        response = whole.response
        usage = Usage() if response.usage is None else _usage(response.usage)
        return ModelResponse(list(response.output), usage, response.id)

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the one event that the SDK goes on with; the pieces are left out."""
        whole = _completed(original)
        if whole is None:
            return super().events(response, original)
        made = as_response(response, None)
        changed = whole.response.model_copy(update={"output": made.output})
        return [whole.model_copy(update={"response": changed})]


def _completed(events: Sequence[Any]) -> Any:
    found = [event for event in events if isinstance(event, ResponseCompletedEvent)]
    return found[-1] if found else None


def _usage(told: Any) -> Usage:
    names = ("input_tokens", "output_tokens", "total_tokens")
    return Usage(requests=1, **{name: getattr(told, name) for name in names})
