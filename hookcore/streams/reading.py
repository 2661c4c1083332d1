"""Any codec as one that tells an event's parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hookcore_specs import ModelResponse, TextChunk

from ..streaming import (
    DefaultCodec,
    Part,
    Parts,
    PartsCodec,
    StreamCall,
    StreamCodec,
    StreamEnd,
    StreamText,
)
from ..streaming.assembling import calls_of

__all__ = ["plain_types", "reading", "rewritten_call"]


def reading(codec: StreamCodec) -> PartsCodec:
    """Return a codec that tells an event's parts: the given one where it does."""
    return codec if hasattr(codec, "parts") else _Adapted(codec)  # type: ignore[return-value]


def plain_types(codec: Any) -> frozenset[type]:
    """Return the types whose values are, to a codec, a piece of text and nothing else."""
    kind = type(codec)
    if not isinstance(codec, DefaultCodec):
        return frozenset()
    own = all(
        getattr(kind, name) is getattr(DefaultCodec, name)
        for name in ("is_response", "parts", "text", "tool_piece")
    )
    return frozenset({str, TextChunk}) if own else frozenset()


class _Adapted(PartsCodec):
    """A codec of a host's with the methods of :class:`StreamCodec` alone."""

    def __init__(self, codec: StreamCodec) -> None:
        self._codec = codec

    def parts(self, event: Any) -> Parts | None:
        """Return what an event is made of."""
        codec = self._codec
        piece = codec.tool_piece(event)
        if piece is not None:
            return (StreamCall((piece.index,), piece.id, piece.name, piece.arguments),)
        if codec.is_response(event):
            parts: list[Part] = [StreamEnd(), StreamText(codec.response_text(event), repeats=True)]
            return parts + calls_of(event) if isinstance(event, ModelResponse) else parts
        piece_of_text = codec.text(event)
        return () if piece_of_text is None else (StreamText(piece_of_text),)

    def with_parts(self, event: Any, parts: Parts) -> Any:
        """Return an event with another text; no other part can be written."""
        codec = self._codec
        text = next((part.text for part in parts if isinstance(part, StreamText)), None)
        if text is not None and codec.is_response(event):
            return codec.with_response_text(event, text)
        return event if text is None else codec.with_text(event, text)

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the response that the events amount to."""
        return self._codec.assemble(events)

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the events of another response."""
        return self._codec.events(response, original)


def rewritten_call(
    codec: PartsCodec, response: ModelResponse, original: Sequence[Any]
) -> Iterable[Any] | None:
    """Return the events of one call that hooks have changed, where the host's codec writes them.

    Args:
        codec: as :func:`reading` gave it.
        response: the call.
        original: the events as they came.
    """
    return codec.events(response, original) if isinstance(codec, _Adapted) else None
