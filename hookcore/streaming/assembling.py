"""The response that events amount to, and the events of a response that took its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from hookcore_specs import ModelResponse, ToolCall, ToolCallChunk

from ..later import json
from .parts import Key, Part, Parts, StreamCall, StreamText

__all__ = [
    "PartsReader",
    "Whole",
    "arguments_text",
    "assembled",
    "calls_of",
    "own_chunk",
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

    __slots__ = ("apart", "choice", "text", "thinking")

    def __init__(self, part: StreamText) -> None:
        self.choice, self.thinking = part.choice, part.thinking
        self.apart = part.apart
        self.text = ""

    @property
    def line(self) -> str:
        """The text as it stands in the whole: what is told apart is on a line of its own."""
        return f"\n{self.text}" if self.apart and self.text else self.text

    def add(self, part: StreamText) -> None:
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

    def add(self, part: StreamCall) -> bool:
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


class Whole:
    """All texts and calls of some events."""

    def __init__(self) -> None:
        self.texts: dict[Key, _Text] = {}
        self.calls: dict[Key, _Call] = {}
        #: The calls that each key stands for, one after the other.
        self.open: dict[Key, Key] = {}

    def take(self, parts: Parts) -> None:
        """Take the parts of another event."""
        for part in parts:
            if isinstance(part, StreamText):
                known = self.texts.get(part.key)
                if known is None:
                    known = self.texts[part.key] = _Text(part)
                known.add(part)
            elif isinstance(part, StreamCall):
                self.call_of(part)
            else:
                for key in [key for key in self.open if part.ends(key)]:
                    del self.open[key]

    def call_of(self, part: StreamCall) -> Key:
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

    def _told_before(self, part: StreamCall) -> Key | None:
        for place, call in self.calls.items():
            same = part.id is None or call.id is None or part.id == call.id
            if same and call.name == part.name and _are_same(call.arguments, part.arguments):
                return place
        return None

    def choices(self) -> list[int]:
        """Return the choices that there are, in order; the first where nothing was said."""
        texts = {text.choice for text in self.texts.values()}
        return sorted(texts | {call.choice for call in self.calls.values()}) or [0]

    def response(self, choice: int) -> ModelResponse:
        """Return the response of a choice."""
        texts = [text for text in self.texts.values() if text.choice == choice]
        return ModelResponse(
            "".join(text.line for text in texts if not text.thinking),
            [call.made() for call in self.calls.values() if call.choice == choice],
            thinking="".join(text.line for text in texts if text.thinking),
        )


def assembled(read: Callable[[Any], Parts | None], events: Iterable[Any]) -> Any:
    """Return the response that events amount to; a list of them where they are of several choices.

    Args:
        read: returns an event's parts.
        events: the events.
    """
    whole, usage = Whole(), None
    for event in events:
        whole.take(read(event) or ())
        usage = _usage_of(event) or usage
    responses = [whole.response(choice) for choice in whole.choices()]
    responses[0].usage = usage
    return responses[0] if len(responses) == 1 else responses


def _usage_of(event: Any) -> Any:
    for holder in (event, _get(event, "response"), _get(event, "message")):
        for name in ("usage", "usage_metadata", "usageMetadata"):
            usage = _get(holder, name)
            if usage is not None and not callable(usage):
                return usage
    return None


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def arguments_text(call: ToolCall) -> str:
    """Return a call's arguments as the text that a model would have written."""
    if isinstance(call.arguments, str):
        return call.arguments
    return json.dumps(call.arguments, default=repr)


def calls_of(response: ModelResponse) -> list[Part]:
    """Return the tool calls of a whole response as parts that repeat them."""
    return [
        StreamCall(
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
