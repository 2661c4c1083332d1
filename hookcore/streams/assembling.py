"""The response that events amount to, and the events of a response that took its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from hookcore_specs import ModelResponse, TextChunk, ToolCall, ToolCallChunk

from ..later import json
from .parts import CallPart, EndPart, Key, Part, Parts, TextPart
from .spreading import spread

__all__ = [
    "PartsReader",
    "arguments_text",
    "assembled",
    "calls_of",
    "own_chunk",
    "rewritten",
]


class PartsReader(Protocol):
    """The part of a codec that reads events and writes them."""

    def parts(self, event: Any) -> Parts | None:
        """Return what an event is made of."""

    def with_parts(self, event: Any, parts: Parts) -> Any:
        """Return an event with other parts."""

    def split(self, event: Any) -> Sequence[Any]:
        """Return events that together say what one says."""
        ...


class _Text:
    """One text of a response, put together from the pieces and what repeats them."""

    __slots__ = ("choice", "text", "thinking")

    def __init__(self, part: TextPart) -> None:
        self.choice, self.thinking = part.choice, part.thinking
        self.text = ""

    def add(self, part: TextPart) -> None:
        if not part.repeats:
            self.text += part.text
        elif part.text.startswith(self.text):
            self.text = part.text
        elif part.text not in self.text:
            self.text += part.text  # it says something else, and nothing may go unseen


class _Call:
    """One tool call of a response."""

    __slots__ = ("arguments", "choice", "id", "name")

    def __init__(self, choice: int) -> None:
        self.choice = choice
        self.id: str | None = None
        self.name: str | None = None
        self.arguments = ""

    def add(self, part: CallPart) -> bool:
        """Take a part; return False for one that says something else than what is there."""
        if part.repeats and self.arguments:
            same_name = self.name in (None, part.name) or part.name is None
            if not same_name or not _are_same(self.arguments, part.arguments):
                return False
        self.id, self.name = self.id or part.id, self.name or part.name
        self.arguments = part.arguments if part.repeats else self.arguments + part.arguments
        return True

    def made(self) -> ToolCall:
        return ToolCall(self.name or "", self.arguments, self.id)


def _are_same(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        return bool(json.loads(one or "{}") == json.loads(other or "{}"))
    except (ValueError, RecursionError):
        return False


class _Whole:
    """All texts and calls of some events."""

    def __init__(self) -> None:
        self.texts: dict[Key, _Text] = {}
        self.calls: dict[Key, _Call] = {}
        #: The calls that each key stands for, one after the other.
        self.open: dict[Key, Key] = {}

    def take(self, parts: Parts) -> None:
        for part in parts:
            if isinstance(part, TextPart):
                known = self.texts.get(part.key)
                if known is None:
                    known = self.texts[part.key] = _Text(part)
                known.add(part)
            elif isinstance(part, CallPart):
                self.call_of(part)
            else:
                for key in [key for key in self.open if part.ends(key)]:
                    del self.open[key]

    def call_of(self, part: CallPart) -> Key:
        """Return the key of the call that a part belongs to, which is one of its own.

        A key may be used again for another call when the first is over.
        """
        place = self.open.get(part.key)
        if place is None and part.repeats:
            place = self._told_before(part)
        if place is None or not self.calls[place].add(part):
            place = (*part.key, len(self.calls))
            self.calls[place] = _Call(part.choice)
            self.calls[place].add(part)
        self.open[part.key] = place
        return place

    def _told_before(self, part: CallPart) -> Key | None:
        for place, call in self.calls.items():
            same = part.id is None or call.id is None or part.id == call.id
            if same and call.name == part.name and _are_same(call.arguments, part.arguments):
                return place
        return None

    def choices(self) -> list[int]:
        texts = {text.choice for text in self.texts.values()}
        return sorted(texts | {call.choice for call in self.calls.values()}) or [0]

    def response(self, choice: int) -> ModelResponse:
        texts = [text for text in self.texts.values() if text.choice == choice]
        return ModelResponse(
            "".join(text.text for text in texts if not text.thinking),
            [call.made() for call in self.calls.values() if call.choice == choice],
            thinking="".join(text.text for text in texts if text.thinking),
        )


def assembled(read: Callable[[Any], Parts | None], events: Iterable[Any]) -> Any:
    """Return the response that events amount to; a list of them where they are of several choices.

    Args:
        read: returns an event's parts.
        events: the events.
    """
    whole, usage = _Whole(), None
    for event in events:
        whole.take(read(event) or ())
        usage = _usage_of(event) or usage
    responses = [whole.response(choice) for choice in whole.choices()]
    responses[0].usage = usage
    return responses[0] if len(responses) == 1 else responses


def _usage_of(event: Any) -> Any:
    for holder in (event, _get(event, "response"), _get(event, "message")):
        for name in ("usage", "usage_metadata"):
            usage = _get(holder, name)
            if usage is not None and not callable(usage):
                return usage
    return None


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


class _New:
    """The rest of the responses that hooks gave, which is still to be written."""

    def __init__(self, responses: Sequence[ModelResponse], whole: _Whole) -> None:
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
            key: text.text
            for key, text in self._whole.texts.items()
            if text.choice == choice and text.thinking is thinks
        }
        self._texts.update(zip(texts, spread(said, list(texts.values())), strict=True))
        if not any(texts.values()) and said and not thinks:
            self._beside.append(said)

    def text(self, part: TextPart) -> str:
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

    def call(self, part: CallPart, seen: _Whole) -> CallPart | None:
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
    whole = _Whole()
    for event in events:
        whole.take(codec.parts(event) or ())
    responses = response if isinstance(response, list) else [response]
    if not all(isinstance(item, ModelResponse) for item in responses):
        return [response]
    new, seen, out = _New(responses, whole), _Whole(), list[Any]()
    for event in events:
        for piece in codec.split(event):
            written = _written(codec, piece, new, seen)
            if written is not None:
                out.append(written)
    return out + new.rest()


def _written(codec: PartsReader, event: Any, new: _New, seen: _Whole) -> Any:
    parts = codec.parts(event) or ()
    given: list[Part] = []
    left = lost = False
    for part in parts:
        if isinstance(part, TextPart):
            text = new.text(part)
            left = left or bool(text) or part.repeats
            lost = lost or (bool(part.text) and not text)
            given.append(replace(part, text=text))
        elif isinstance(part, CallPart):
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
        if given == [p for p in parts if not isinstance(p, EndPart)]
        else _put(codec, event, parts, given)
    )


def _put(codec: PartsReader, event: Any, parts: Parts, given: list[Part]) -> Any:
    texts = iter(given)
    return codec.with_parts(
        event, [part if isinstance(part, EndPart) else next(texts) for part in parts]
    )


def arguments_text(call: ToolCall) -> str:
    """Return a call's arguments as the text that a model would have written."""
    if isinstance(call.arguments, str):
        return call.arguments
    return json.dumps(call.arguments, default=repr)


def calls_of(response: ModelResponse) -> list[Part]:
    """Return the tool calls of a whole response as parts that repeat them."""
    return [
        CallPart(
            (index,),
            call.id,
            call.name,
            arguments_text(call) or "{}",
            repeats=True,
            # What a host made of arguments that it could not parse is the host's to deny.
            json=isinstance(call.arguments, (str, Mapping)),
        )
        for index, call in enumerate(response.tool_calls)
    ]


def own_chunk(index: int, call: ToolCall) -> ToolCallChunk:
    """Return a tool call as a stream event of hookcore's own."""
    return ToolCallChunk(index, call.id, call.name, arguments_text(call))
