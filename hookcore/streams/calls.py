"""The tool calls of a streamed response, as the window hooks let them through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from hookcore_specs import ModelResponse, ToolCall, ToolCallChunk

from ..streaming import Key, PartsCodec, StreamCall
from ..streaming.assembling import arguments_text, own_chunk
from ..streaming.rewriting import rewritten
from ..waiting.requests import Steps
from .judges import Judges
from .reading import rewritten_call
from .toolpieces import HeldCall, parsed_call

__all__ = ["Calls"]


class Calls:
    """Shows each call to the hooks once it is whole, and remembers what became of it.

    Args:
        codec: writes the events.
        judges: the hooks; None without any that see the response pass.
    """

    def __init__(self, codec: PartsCodec, judges: Judges | None) -> None:
        self._codec = codec
        self._judges = judges
        #: Name and arguments of those that have left, as they came, and as they were let through.
        self._left: list[tuple[str, Any, ToolCall]] = []

    def leaving(self, calls: list[tuple[Key, HeldCall]]) -> Steps:
        """Return the events of calls that are whole.

        Raises:
            HookAborted: a hook withholds one, or its arguments are no JSON object.
        """
        events: list[Any] = []
        for _, held in calls:
            call = held.made()
            given = yield from self._judged(call, json=held.json)
            events += self._events(held.events, call, given)
        return events

    def _events(self, events: list[Any], call: ToolCall, given: ToolCall) -> Iterable[Any]:
        if all(isinstance(event, ToolCallChunk) for event in events):
            return [own_chunk(events[0].index, given)]
        if given is call:
            return events
        response = ModelResponse("", [given])
        made = rewritten_call(self._codec, response, events)
        return rewritten(self._codec, response, events) if made is None else made

    def _judged(self, call: ToolCall, *, json: bool) -> Steps:
        """Return a call as the hooks let it through; the same one when they change nothing."""
        if self._judges is None:
            return call
        given: ToolCall = yield from self._judges.call(replace(call))
        if given == call:
            given = call
        elif json:
            parsed_call(given.name, given.arguments)
            given = replace(given, arguments=arguments_text(given))
        self._left.append((call.name, _value(call.arguments, json=json), given))
        return given

    def recalled(self, part: StreamCall) -> Steps:
        """Return the part that repeats a call, as the call was let through.

        Raises:
            HookAborted: it is no call that has left, and a hook withholds it.
        """
        value = _value(part.arguments, json=part.json)
        call: ToolCall | None = None
        for name, known, given in self._left:
            if known == value and part.name in (None, name):
                call = given
        if call is None:
            came = ToolCall(part.name or "", part.arguments, part.id)
            call = yield from self._judged(came, json=part.json)
        if part.name in (None, call.name) and _value(call.arguments, json=part.json) == value:
            return part
        return replace(part, name=part.name and call.name, arguments=arguments_text(call))


def _value(arguments: Any, *, json: bool) -> Any:
    return parsed_call(None, arguments) if json else arguments
