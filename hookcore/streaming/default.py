"""The codec of hookcore's own stream events, and of the libraries' that it knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from hookcore_specs import ModelResponse, TextChunk, ToolCallChunk

from .assembling import arguments_text, calls_of, own_chunk
from .codec import PartsCodec, StreamCodec
from .parts import Part, Parts, StreamCall, StreamEnd, StreamText

__all__ = ["DEFAULT_CODEC", "DefaultCodec"]


class DefaultCodec(PartsCodec):
    """Reads hookcore's own events, and those of the libraries it knows by their own type.

    Its own text is ``str`` or :class:`TextChunk`; a :class:`ModelResponse` among the events is the
    response. Without one, a stream of ``str`` amounts to a ``str``, any other to a
    :class:`ModelResponse`. Known besides are the chunks of OpenAI's chat completions, the events
    of its responses and of Anthropic's messages, the responses of Google's genai client and
    LangChain's message chunks, as objects and as dicts; no library is imported for that.
    """

    def parts(self, event: Any) -> Parts | None:
        """Return what an event is made of, None for one that is not known."""
        if isinstance(event, str):
            return (StreamText(event),)
        piece = self.tool_piece(event)
        if piece is not None:
            return (StreamCall((piece.index,), piece.id, piece.name, piece.arguments),)
        if self.is_response(event):
            return self._whole(event)
        text = self.text(event)
        if text is not None:
            return (StreamText(text),)
        found = _known(event)
        return None if found is None else found.parts(event)

    def _whole(self, event: Any) -> Parts:
        parts: list[Part] = [StreamEnd(), StreamText(self.response_text(event), repeats=True)]
        if isinstance(event, ModelResponse):
            parts.append(StreamText(event.thinking, ("thinking",), repeats=True, thinking=True))
            parts += calls_of(event)
        return parts

    def with_parts(self, event: Any, parts: Parts) -> Any:
        """Return an event like ``event`` with other parts."""
        if isinstance(event, ToolCallChunk):
            [call] = [part for part in parts if isinstance(part, StreamCall)]
            return ToolCallChunk(event.index, call.id, call.name, call.arguments)
        if self.is_response(event):
            return self._with_whole(event, parts)
        if self.text(event) is not None:
            return self.with_text(event, _first_text(parts))
        found = _known(event)
        return event if found is None else found.with_parts(event, parts)

    def _with_whole(self, event: Any, parts: Parts) -> Any:
        event = self.with_response_text(event, _first_text(parts))
        if not isinstance(event, ModelResponse):
            return event
        texts = [part.text for part in parts if isinstance(part, StreamText)]
        calls = [part for part in parts if isinstance(part, StreamCall)]
        made = [_with_part(*pair) for pair in zip(event.tool_calls, calls, strict=True)]
        if made == event.tool_calls and texts[1] == event.thinking:
            return event
        return replace(event, tool_calls=made, thinking=texts[1])

    def split(self, event: Any) -> Sequence[Any]:
        """Return events that together say what ``event`` says, each one kind of thing."""
        if isinstance(event, _OWN):
            return (event,)
        found = _known(event)
        return (event,) if found is None else found.split(event)

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
        """Return whether it is a :class:`ModelResponse`."""
        return isinstance(event, ModelResponse)

    def response_text(self, event: Any) -> str:
        """Return the content of a :class:`ModelResponse`."""
        return str(event.content)

    def with_response_text(self, event: Any, text: str) -> Any:
        """Return the :class:`ModelResponse` with another content."""
        return event if event.content == text else replace(event, content=text)

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the one :class:`ModelResponse`, or what texts and tool calls amount to.

        A response that says less than the events before it does not hide them.
        """
        if all(isinstance(event, str) for event in events):
            return "".join(events)
        made = super().assemble(events)
        whole = [event for event in events if isinstance(event, ModelResponse)]
        if len(whole) == 1 and _says_all(whole[0], made):
            return whole[0]
        return made

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the events of another response."""
        if not isinstance(response, ModelResponse):
            if isinstance(response, list) and any(_known(event) for event in original):
                return super().events(response, original)
            return [response]
        if any(_known(event) for event in original):
            return super().events(response, original)
        events: list[Any] = [TextChunk(response.content)] if response.content else []
        events += [own_chunk(index, call) for index, call in enumerate(response.tool_calls)]
        if any(isinstance(event, ModelResponse) for event in original):
            events.append(response)
        return events


_OWN = (str, TextChunk, ToolCallChunk, ModelResponse)


def _known(event: Any) -> Any:
    """Return the codec of a library's event, None where no library is known for it."""
    if isinstance(event, _OWN):
        return None
    from .finding import codec_of

    return codec_of(event)


def _says_all(whole: ModelResponse, made: Any) -> bool:
    return (
        isinstance(made, ModelResponse)
        and made.content == whole.content
        and made.thinking == whole.thinking
        and len(made.tool_calls) == len(whole.tool_calls)
    )


def _first_text(parts: Parts) -> str:
    return next(part.text for part in parts if isinstance(part, StreamText))


def _with_part(call: Any, part: StreamCall) -> Any:
    if (arguments_text(call) or "{}") == part.arguments and call.name == part.name:
        return call
    return replace(call, name=part.name, arguments=part.arguments)


DEFAULT_CODEC: StreamCodec = DefaultCodec()
