"""Tool calls in a stream: held until they are whole, denied when they do not parse."""

from __future__ import annotations

from typing import Any

from hookcore_specs import HookAborted, ModelResponse, ToolCallChunk

from ..dispatch.arguments import parse_arguments
from ..streaming import StreamCodec

__all__ = ["ToolPieces", "check_tool_calls"]


class ToolPieces:
    """Joins the pieces of the tool calls in one stream."""

    def __init__(self, codec: StreamCodec) -> None:
        self._codec = codec
        self._held: dict[int, ToolCallChunk] = {}
        self._originals: dict[int, list[Any]] = {}

    def take(self, event: Any) -> bool:
        """Hold an event that is a piece of a tool call; return whether it was one."""
        piece = self._codec.tool_piece(event)
        if piece is None:
            return False
        held = self._held.get(piece.index)
        if held is None:
            held = self._held[piece.index] = ToolCallChunk(piece.index)
        held.id = held.id or piece.id
        held.name = held.name or piece.name
        held.arguments += piece.arguments
        self._originals.setdefault(piece.index, []).append(event)
        return True

    def release(self, *, last: bool = False) -> list[Any]:
        """Return the events of the calls that are whole, in their order, and forget them.

        Pieces that are chunks of hookcore's own come as one chunk each; a host's own as they were.

        Args:
            last: whether no piece can come any more, so that all calls have to be whole.

        Raises:
            HookAborted: no piece can come any more, and a call's arguments are no JSON object.
        """
        events: list[Any] = []
        for index, call in list(self._held.items()):
            if last:
                parse_arguments(call.name or "a tool", call.arguments or "{}")
            elif not _is_whole(call):
                break
            originals = self._originals.pop(index)
            del self._held[index]
            own = all(isinstance(event, ToolCallChunk) for event in originals)
            events.extend([call] if own else originals)
        return events


def _is_whole(call: ToolCallChunk) -> bool:
    # Of a JSON object, no beginning is an object itself.
    try:
        parse_arguments(call.name or "a tool", call.arguments)
    except HookAborted:
        return False
    return True


def check_tool_calls(response: Any) -> None:
    """Refuse a whole response with a tool call whose arguments do not parse.

    Raises:
        HookAborted: the arguments are no JSON object.
    """
    if isinstance(response, ModelResponse):
        for call in response.tool_calls:
            if isinstance(call.arguments, str):
                parse_arguments(call.name, call.arguments or "{}")
