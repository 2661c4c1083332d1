"""The demands of the runtime on a model: a stream of text that ends with the whole response."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from hookcore.hosting import DefaultCodec, closing
from hookcore_specs import ModelResponse, TextChunk, ToolCall, ToolCallChunk

from .errors import AgentProtocolError
from .messages import MalformedArguments, Message
from .tools import ServerTool, Tool

__all__ = ["Model", "ModelRequest", "parsed_arguments"]

_DEEPEST = 100


@dataclass(frozen=True)
class ModelRequest:
    """The request to a model; ``dataclasses.replace`` makes another one.

    Args:
        messages: the conversation.
        tools: the tools that the model may call.
        server_tools: the tools that the provider runs itself.
        model: the model's name.
        provider: the provider's name.
        run_id: the run.
        session_id: the session.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    server_tools: tuple[ServerTool, ...] = ()
    model: str = ""
    provider: str = ""
    run_id: str | None = None
    session_id: str | None = None


@runtime_checkable
class Model(Protocol):
    """A model behind a service, or a script."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    @property
    def provider(self) -> str:
        """The provider's name."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        """Return the events of an answer.

        They are :class:`TextChunk` (or ``str``) and :class:`ToolCallChunk` as they come, and one
        :class:`ModelResponse` as the last.
        """
        ...


def parsed_arguments(arguments: Any) -> Any:
    """Return a call's arguments as a dict, or as MalformedArguments; no text is ``{}``.

    Text that is nested too deeply to be copied, and so to be judged, is malformed too.
    """
    if isinstance(arguments, (dict, MalformedArguments)):
        return arguments
    text = arguments if isinstance(arguments, str) else repr(arguments)
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return MalformedArguments(text)
    usable = isinstance(value, dict) and not _is_too_deep(text, value)
    return value if usable else MalformedArguments(text)


def _is_too_deep(text: str, value: Any) -> bool:
    if text.count("{") + text.count("[") <= _DEEPEST:
        return False
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            inner
            for item in level
            if isinstance(item, (dict, list))
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return bool(level)


async def whole_answer(events: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
    """Yield a model's events with the pieces of its tool calls joined into the response.

    Raises:
        AgentProtocolError: there is no response, or something after it.
    """
    pieces: dict[int, ToolCallChunk] = {}
    response: ModelResponse | None = None
    async with closing(events) as source:
        async for event in source:
            if response is not None:
                raise AgentProtocolError(f"the model sent {_kind(event)} after its response")
            if isinstance(event, ToolCallChunk):
                held = pieces.setdefault(event.index, ToolCallChunk(event.index))
                held.id, held.name = held.id or event.id, held.name or event.name
                held.arguments += event.arguments
            elif isinstance(event, ModelResponse):
                response = event
            else:
                yield TextChunk(event) if isinstance(event, str) else event
    if response is None:
        raise AgentProtocolError("the model's stream ended without a response")
    calls = response.tool_calls or [
        ToolCall(piece.name or "", piece.arguments, piece.id) for piece in pieces.values()
    ]
    yield replace(
        response,
        content=response.content or "",
        tool_calls=[replace(call, arguments=parsed_arguments(call.arguments)) for call in calls],
    )


def _kind(event: Any) -> str:
    return "another response" if isinstance(event, ModelResponse) else type(event).__name__


class AgentCodec(DefaultCodec):
    """Writes a response that a hook put in the model's place as the runtime reads it."""

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the text and the whole response."""
        del original
        if not isinstance(response, ModelResponse):
            response = ModelResponse("" if response is None else str(response))
        text: list[Any] = [TextChunk(response.content)] if response.content else []
        return [*text, response]


CODEC = AgentCodec()


async def checked(events: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
    """Yield the events that the hooks let through: one response, and it is the last.

    Raises:
        AgentProtocolError: there is no response, or something after it.
    """
    response: Any = None
    async with aclosing(events) as source:
        async for event in source:
            if response is not None:
                raise AgentProtocolError(f"a middleware sent {_kind(event)} after the response")
            response = event if isinstance(event, ModelResponse) else None
            yield event
    if response is None:
        raise AgentProtocolError("the stream ended without a response")
