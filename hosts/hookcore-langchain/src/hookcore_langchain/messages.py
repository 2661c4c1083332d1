"""LangChain's responses, and what hooks may give in their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

import hookcore
from hookcore.hosting import neutral_response
from hookcore.streaming import DefaultCodec

__all__ = ["Codec", "as_chunk", "as_result", "shown"]


def shown(result: ChatResult) -> Any:
    """Return a result as hooks see it: the message, or a list of them."""
    messages = [generation.message for generation in result.generations]
    return messages[0] if len(messages) == 1 else messages


def as_result(value: Any, like: ChatResult | None) -> ChatResult:
    """Return what hooks left of a response as a result.

    Args:
        value: a message, a text, a :class:`hookcore.ModelResponse`, or a list of these.
        like: the result that was shown to the hooks, None when the model was not asked.

    Raises:
        TypeError: the value is none of these.
    """
    if like is not None and value is (old := shown(like)) and not isinstance(old, list):
        return like
    values = value if isinstance(value, list) else [value]
    made = [ChatGeneration(message=_message(item)) for item in values]
    return ChatResult(generations=made, llm_output=None if like is None else like.llm_output)


def as_chunk(event: Any) -> ChatGenerationChunk:
    """Return what left a stream, or a wrap's own text, as a chunk."""
    if isinstance(event, ChatGenerationChunk):
        return event
    text = event.text if isinstance(event, hookcore.TextChunk) else event
    message = _message(text)
    if not isinstance(message, AIMessageChunk):
        told = {name: getattr(message, name) for name in ("id", "usage_metadata", "tool_calls")}
        message = AIMessageChunk(content=message.content, **told)
    return ChatGenerationChunk(message=message)


def _message(value: Any) -> BaseMessage:
    if isinstance(value, BaseMessage):
        return value
    response = neutral_response(value, "a message of LangChain's")
    calls = [
        {"name": call.name, "args": call.arguments, "id": call.id} for call in response.tool_calls
    ]
    return AIMessage(content=response.content, tool_calls=calls)


class Codec(DefaultCodec):
    """Reads chunks as hookcore does, and shows hooks the message that they amount to."""

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the message that the chunks amount to."""
        return reduce(add, map(as_chunk, events)).message if events else AIMessageChunk(content="")

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the chunk of a response that hooks gave."""
        del original
        return [as_chunk(response)]
