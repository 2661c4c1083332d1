"""Tool calls in a stream: held until they are whole, denied when they do not parse."""

from __future__ import annotations

from typing import Any

from hookcore_specs import HookAborted, ToolCall

from ..dispatch.arguments import parse_arguments
from ..streaming import Key, StreamCall, StreamEnd

__all__ = ["HeldCall", "ToolPieces", "parsed_call"]


class HeldCall:
    """The pieces of one tool call that have come."""

    __slots__ = ("arguments", "events", "id", "json", "name", "wholes")

    def __init__(self) -> None:
        self.id: str | None = None
        self.name: str | None = None
        self.arguments = ""
        self.json = True
        #: The arguments as events repeated them.
        self.wholes: list[str] = []
        #: The events that the pieces came in.
        self.events: list[Any] = []

    def add(self, part: StreamCall, event: Any) -> None:
        """Take another piece."""
        self.id, self.name = self.id or part.id, self.name or part.name
        self.json = self.json and part.json
        if part.repeats:
            self.wholes.append(part.arguments)
        else:
            self.arguments += part.arguments
        self.events.append(event)

    def made(self) -> ToolCall:
        """Return the call.

        Raises:
            HookAborted: the arguments are no JSON object where they have to be one, or others than
                the event says that repeats them.
        """
        text, *others = [text for text in (self.arguments, *self.wholes) if text] or [""]
        if self.json:
            parsed = parsed_call(self.name, text)
            same = all(parsed_call(self.name, other) == parsed for other in others)
        else:
            same = all(other == text for other in others)
        if not same:
            raise _contradiction(self.name)
        return ToolCall(self.name or "", text, self.id)

    @property
    def is_whole(self) -> bool:
        """Tell whether the pieces are a whole call: no beginning of a JSON object is one itself."""
        if not self.json:
            return False
        try:
            parse_arguments(self.name or "a tool", self.arguments or (self.wholes or [""])[0])
        except HookAborted:
            return False
        return True


class ToolPieces:
    """Joins the pieces of the tool calls in one stream."""

    def __init__(self) -> None:
        self.held: dict[Key, HeldCall] = {}

    def take(self, event: Any, part: StreamCall) -> bool:
        """Hold an event with a piece of a tool call; return False for one that has none.

        Such a one repeats a call that has left.
        """
        held = self.held.get(part.key)
        if held is None:
            if part.repeats:
                return False
            held = self.held[part.key] = HeldCall()
        held.add(part, event)
        return True

    def release(self) -> list[tuple[Key, HeldCall]]:
        """Return the calls that are whole, in their order, and forget them."""
        calls: list[tuple[Key, HeldCall]] = []
        for key, call in list(self.held.items()):
            if not call.is_whole:
                break
            calls.append((key, self.held.pop(key)))
        return calls

    def end(self, end: StreamEnd) -> list[tuple[Key, HeldCall]]:
        """Return the calls that no piece can come for any more, and forget them."""
        return [(key, self.held.pop(key)) for key in list(self.held) if end.ends(key)]


def parsed_call(name: str | None, arguments: Any) -> dict[str, Any]:
    """Return a call's arguments as a dict; none at all are an empty one.

    Raises:
        HookAborted: they are no JSON object.
    """
    return parse_arguments(name or "a tool", arguments or "{}")


def _contradiction(name: str | None) -> HookAborted:
    return HookAborted(
        f"the stream gives the arguments of {name or 'a tool'} twice, and not the same ones",
        source="hookcore",
        message="The arguments are not a valid JSON object.",
    )
