"""The updates of a streamed response: as policies read and rewrite them, and as a response."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from typing import Any

from agent_framework import ChatResponse, ChatResponseUpdate, Content, Message

from hookcore import TextChunk, Texts, ToolCall, ToolCallChunk
from hookcore.hosting import (
    DefaultCodec,
    PartsCodec,
    StreamCall,
    StreamText,
    neutral_response,
    new_call_id,
)
from hookcore.streaming import Part, Parts

__all__ = ["Codec", "Writer", "as_response", "close", "contents_of", "named"]

_OWN = DefaultCodec()
"""Reads what a wrap may yield of hookcore's own."""


def contents_of(value: Any) -> list[Any]:
    """Return what a hook gave for a model's response as contents.

    Args:
        value: a text, or a :class:`hookcore.ModelResponse`.

    Raises:
        TypeError: the value is neither.
    """
    response = neutral_response(value, "agent_framework.ChatResponse")
    calls = [_call(call) for call in response.tool_calls]
    return [Content.from_text(response.content), *calls] if response.content or not calls else calls


def as_response(value: Any, like: Any) -> Any:
    """Return what hooks left of a response as a response of the framework's.

    Args:
        value: its own, a text, or a :class:`hookcore.ModelResponse`.
        like: the response that was shown to the hooks, None when the model was not asked.

    Raises:
        TypeError: the value is none of these.
    """
    if isinstance(value, ChatResponse):
        return value
    made = ChatResponse(messages=[Message("assistant", contents_of(value))])
    if like is not None:
        for name in ("response_id", "conversation_id", "model", "created_at", "usage_details"):
            setattr(made, name, getattr(like, name, None))
    return made


async def named(updates: Any) -> AsyncGenerator[Any, None]:
    """Yield updates in which each piece of a tool call names the call, as the first one does.

    Args:
        updates: a response's updates.
    """
    call_id: Any = None
    async for update in updates:
        contents = list(update.contents)
        for at, content in enumerate(contents):
            if content.type == "function_call":
                call_id = content.call_id or call_id
                if content.call_id != call_id:
                    contents[at] = copy.copy(content)
                    contents[at].call_id = call_id
        same = all(one is other for one, other in zip(contents, update.contents, strict=True))
        yield update if same else _with_contents(update, contents)


async def close(stream: Any) -> None:
    """Close a stream, where it can be closed.

    Args:
        stream: a response stream, a generator, or None.
    """
    end = getattr(stream, "close", None) or getattr(stream, "aclose", None)
    if end is not None:
        await end()


class Codec(PartsCodec):
    """Reads texts, thoughts, function calls, and the texts of all other contents."""

    def parts(self, event: Any) -> Parts | None:
        """Return what an update is made of, None for what is no update."""
        if not isinstance(event, ChatResponseUpdate):
            return _OWN.parts(event)
        return [part for content in event.contents for part in _parts(content)]

    def with_parts(self, event: Any, parts: Parts) -> Any:
        """Return an update like ``event`` with other parts."""
        if not isinstance(event, ChatResponseUpdate):
            return _OWN.with_parts(event, parts)
        rest = iter(parts)
        contents = [
            _put(content, [next(rest) for _ in _parts(content)]) for content in event.contents
        ]
        return _with_contents(event, contents)

    def split(self, event: Any) -> Sequence[Any]:
        """Return an update for each content; the last one says how the response ended."""
        if not isinstance(event, ChatResponseUpdate) or len(event.contents) <= 1:
            return (event,)
        pieces = [_with_contents(event, [content]) for content in event.contents]
        for piece in pieces[:-1]:
            piece.finish_reason = None
        return pieces

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the framework's response that the events amount to."""
        writer = Writer()
        updates = [update for event in events for update in writer.written(event)]
        return ChatResponse.from_updates([*updates, *writer.ended()])

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the updates that stand for a response that hooks gave."""
        own = [event for event in original if isinstance(event, ChatResponseUpdate)]
        like = own[-1] if own else ChatResponseUpdate()
        if not isinstance(response, ChatResponse):
            messages = [Message("assistant", contents_of(response))]
            response = ChatResponse(messages=messages)
        made = [_with_contents(like, list(message.contents)) for message in response.messages]
        for update, message in zip(made, response.messages, strict=True):
            update.role, update.message_id = message.role, message.message_id
        return made


class Writer:
    """Makes updates of the events that left."""

    def __init__(self) -> None:
        #: The pieces of calls of hookcore's own, which are written when they are whole.
        self._pieces: list[ToolCallChunk] = []

    def written(self, event: Any) -> Iterator[Any]:
        """Yield the updates that an event amounts to."""
        if isinstance(event, ChatResponseUpdate):
            yield event
        elif isinstance(event, ToolCallChunk):
            self._pieces.append(event)
        else:
            value = event.text if isinstance(event, TextChunk) else event
            yield ChatResponseUpdate(contents=contents_of(value), role="assistant")

    def ended(self) -> Iterator[Any]:
        """Yield the updates of the end."""
        if self._pieces:
            calls = contents_of(_OWN.assemble(self._pieces))
            yield ChatResponseUpdate(contents=calls, role="assistant")


def _parts(content: Any) -> list[Part]:
    if content.type == "function_call":
        key = ("call", content.call_id)
        return [StreamCall(key, content.call_id, content.name, _arguments(content.arguments))]
    if content.type in {"text", "text_reasoning"}:
        thinks = content.type == "text_reasoning"
        return [StreamText(content.text or "", (content.type,), thinking=thinks)]
    return [
        StreamText(text.text, (content.type, id(content), at))
        for at, text in enumerate(Texts([content]))
    ]


def _put(content: Any, parts: list[Any]) -> Any:
    if parts == _parts(content):
        return content
    made = copy.copy(content)
    if content.type == "function_call":
        (part,) = parts
        made.call_id, made.name, made.arguments = part.id, part.name, part.arguments
    elif content.type in {"text", "text_reasoning"}:
        made.text = parts[0].text
    else:
        texts, new = Texts([content]), iter(parts)
        texts.replace(lambda _: next(new).text)
        (made,) = texts.value
    return made


def _arguments(given: Any) -> str:
    return given or "" if given is None or isinstance(given, str) else json.dumps(given)


def _call(call: ToolCall) -> Any:
    told = {"call_id": call.id or new_call_id(), "name": call.name}
    return Content.from_function_call(arguments=call.arguments, **told)


def _with_contents(update: Any, contents: list[Any]) -> Any:
    made = copy.copy(update)
    made.contents = contents
    return made
