"""The events of a streamed model response: how the boundary reads and writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from hookcore_specs import ModelResponse, TextChunk, ToolCall, ToolCallChunk

__all__ = ["DEFAULT_CODEC", "DefaultCodec", "StreamCodec"]


class StreamCodec(Protocol):
    """Tells :meth:`HookManager.astream_model` about a host's own events."""

    def text(self, event: Any) -> str | None:
        """Return the text of a text event, None for any other."""
        ...

    def with_text(self, event: Any, text: str) -> Any:
        """Return an event like ``event`` with another text."""
        ...

    def tool_piece(self, event: Any) -> ToolCallChunk | None:
        """Return the piece of a tool call that an event carries, None for any other."""
        ...

    def is_response(self, event: Any) -> bool:
        """Tell whether an event is the whole response, which sums the stream up."""
        ...

    def response_text(self, event: Any) -> str:
        """Return the text of a whole response."""
        ...

    def with_response_text(self, event: Any, text: str) -> Any:
        """Return a whole response like ``event`` with another text."""
        ...

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the response that the events amount to."""
        ...

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the events that stand for a response which replaced that of ``original``."""
        ...


class DefaultCodec:
    """Reads text as ``str`` or :class:`TextChunk`; passes events that it does not know as they are.

    A :class:`ModelResponse` among the events is the response. Without one, a stream of ``str``
    amounts to a ``str``, any other to a :class:`ModelResponse` of its texts and tool calls.
    """

    def text(self, event: Any) -> str | None:
        """Return the text of a ``str`` or a :class:`TextChunk`."""
        if isinstance(event, str):
            return event
        return event.text if isinstance(event, TextChunk) else None

    def with_text(self, event: Any, text: str) -> Any:
        """Return a ``str`` or a :class:`TextChunk`, like ``event``."""
        return text if isinstance(event, str) else TextChunk(text)

    def tool_piece(self, event: Any) -> ToolCallChunk | None:
        """Return a :class:`ToolCallChunk` as it is."""
        return event if isinstance(event, ToolCallChunk) else None

    def is_response(self, event: Any) -> bool:
        """Tell whether it is a :class:`ModelResponse`."""
        return isinstance(event, ModelResponse)

    def response_text(self, event: Any) -> str:
        """Return the content of a :class:`ModelResponse`."""
        return str(event.content)

    def with_response_text(self, event: Any, text: str) -> Any:
        """Return the :class:`ModelResponse` with another content."""
        return event if event.content == text else replace(event, content=text)

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the last :class:`ModelResponse`, or what texts and tool calls amount to."""
        whole = [event for event in events if isinstance(event, ModelResponse)]
        if whole:
            return whole[-1]
        if all(isinstance(event, str) for event in events):
            return "".join(events)
        texts = [text for event in events if (text := self.text(event)) is not None]
        calls = [
            ToolCall(event.name or "", event.arguments, event.id)
            for event in events
            if isinstance(event, ToolCallChunk)
        ]
        return ModelResponse("".join(texts), calls)

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the events of another response."""
        if not isinstance(response, ModelResponse):
            return [response]
        events: list[Any] = [TextChunk(response.content)] if response.content else []
        events += [_chunk(index, call) for index, call in enumerate(response.tool_calls)]
        if any(isinstance(event, ModelResponse) for event in original):
            events.append(response)
        return events


def _chunk(index: int, call: ToolCall) -> ToolCallChunk:
    import json

    text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    return ToolCallChunk(index, call.id, call.name, text)


DEFAULT_CODEC: StreamCodec = DefaultCodec()
