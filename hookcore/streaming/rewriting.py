"""The events of a stream with the texts and calls of a response that took its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hookcore_specs import ModelResponse, TextChunk, ToolCall

from .assembling import PartsReader, Whole, arguments_text, own_chunk
from .parts import Key, Part, Parts, StreamCall, StreamEnd, StreamText
from .spreading import spread

__all__ = ["rewritten"]


class _New:
    """The rest of the responses that hooks gave, which is still to be written."""

    def __init__(self, responses: Sequence[ModelResponse], whole: Whole) -> None:
        self._whole = whole
        choices = whole.choices()
        #: What each text has become.
        self._texts: dict[Key, str] = {}
        self._beside: list[str] = []
        self._calls: dict[Key, ToolCall | None] = dict.fromkeys(whole.calls)
        self._more: list[ToolCall] = []
        for choice, response in zip(choices, responses, strict=False):
            for thinks, said in ((False, response.content), (True, response.thinking)):
                self._spread(choice, said, thinks=thinks)
            places = [key for key, call in whole.calls.items() if call.choice == choice]
            self._calls.update(zip(places, response.tool_calls, strict=False))
            self._more += response.tool_calls[len(places) :]
        self._written: set[Key] = set()
        self._begun: set[Key] = set()

    def _spread(self, choice: int, said: str, *, thinks: bool) -> None:
        texts = {
            key: text.line
            for key, text in self._whole.texts.items()
            if text.choice == choice and text.thinking is thinks
        }
        for key, text in zip(texts, spread(said, list(texts.values())), strict=True):
            self._texts[key] = text.removeprefix("\n") if self._whole.texts[key].apart else text
        if not any(texts.values()) and said and not thinks:
            self._beside.append(said)

    def text(self, part: StreamText) -> str:
        """Return what a text in an event has become."""
        if not part.text:
            return ""
        text = self._texts.get(part.key, "")
        if part.repeats:
            self._written.add(part.key)
            return text
        if part.key in self._written:
            return ""
        self._written.add(part.key)
        return text

    def call(self, part: StreamCall, seen: Whole) -> StreamCall | None:
        """Return a call's part as it is now; None for a call that is no more."""
        place = seen.call_of(part)
        call = self._calls.get(place)
        if call is None:
            return None
        without = not self._whole.calls[place].arguments
        begins = part.repeats or (place not in self._begun and bool(part.arguments or without))
        if begins:
            self._begun.add(place)
        return replace(
            part,
            id=part.id and call.id,
            name=part.name and call.name,
            arguments=arguments_text(call) if begins else "",
        )

    def rest(self) -> list[Any]:
        """Return what no event of the stream carries, as events of hookcore's own."""
        events: list[Any] = [TextChunk(text) for text in self._beside]
        first = len(self._calls)
        return events + [own_chunk(first + at, call) for at, call in enumerate(self._more)]


def rewritten(codec: PartsReader, response: Any, events: Sequence[Any]) -> list[Any]:
    """Return a stream's events with the texts and calls of a response that hooks gave.

    Args:
        codec: reads and writes the events.
        response: a :class:`ModelResponse`, or a list of them, one for each choice.
        events: the events as they came.
    """
    whole = Whole()
    for event in events:
        whole.take(codec.parts(event) or ())
    responses = response if isinstance(response, list) else [response]
    if not all(isinstance(item, ModelResponse) for item in responses):
        return [response]
    new, seen, out = _New(responses, whole), Whole(), list[Any]()
    for event in events:
        for piece in codec.split(event):
            written = _written(codec, piece, new, seen)
            if written is not None:
                out.append(written)
    return out + new.rest()


def _written(codec: PartsReader, event: Any, new: _New, seen: Whole) -> Any:
    parts = codec.parts(event) or ()
    given: list[Part] = []
    left = lost = False
    for part in parts:
        if isinstance(part, StreamText):
            text = new.text(part)
            left = left or bool(text) or part.repeats
            lost = lost or (bool(part.text) and not text)
            given.append(replace(part, text=text))
        elif isinstance(part, StreamCall):
            call = new.call(part, seen)
            if call is None:
                if not part.repeats:
                    return None
                given.append(replace(part, name="", arguments="{}"))
                continue
            left = left or call.repeats or bool(call.name or call.arguments or call.id)
            lost = lost or bool(part.arguments and not call.arguments)
            given.append(call)
        else:
            seen.take((part,))
            left = True
    if lost and not left:
        return None
    return (
        event
        if given == [p for p in parts if not isinstance(p, StreamEnd)]
        else _put(codec, event, parts, given)
    )


def _put(codec: PartsReader, event: Any, parts: Parts, given: list[Part]) -> Any:
    texts = iter(given)
    return codec.with_parts(
        event, [part if isinstance(part, StreamEnd) else next(texts) for part in parts]
    )
