"""Tool calls in a stream: held until they are whole, denied when they do not parse."""

from __future__ import annotations

from typing import Any

from hookcore_specs import ModelResponse, ToolCallChunk

from ._toolcall import parse_arguments
from .streaming import StreamCodec

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

    def release(self) -> list[Any]:
        """Return the events of the calls that are whole now, and forget them.

        Pieces that are chunks of hookcore's own come as one chunk each; a host's own as they were.

        Raises:
            HookAborted: a call's arguments are no JSON object.
        """
        events: list[Any] = []
        for index, call in self._held.items():
            parse_arguments(call.name or "a tool", call.arguments or "{}")
            originals = self._originals[index]
            own = all(isinstance(event, ToolCallChunk) for event in originals)
            events.extend([call] if own else originals)
        self._held, self._originals = {}, {}
        return events


def check_tool_calls(response: Any) -> None:
    """Refuse a whole response with a tool call whose arguments do not parse.

    Raises:
        HookAborted: the arguments are no JSON object.
    """
    if isinstance(response, ModelResponse):
        for call in response.tool_calls:
            if isinstance(call.arguments, str):
                parse_arguments(call.name, call.arguments or "{}")
