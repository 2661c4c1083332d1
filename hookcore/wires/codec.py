"""The codec of a format's events, and the answers that policies made of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from hookcore_specs import ModelResponse

from ..streaming import DefaultCodec, PartsCodec, StreamCall, StreamEnd, StreamText
from ..streaming.neutral import neutral_response
from .wire import Wire

__all__ = ["WireCodec", "as_responses"]

Parts: TypeAlias = Sequence[StreamText | StreamCall | StreamEnd]


class WireCodec(DefaultCodec):
    """Reads the events of a format, and writes them when policies have changed the response.

    Args:
        wire: the format.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def parts(self, event: Any) -> Parts | None:
        """Return what an event is made of; None for one that is not known."""
        if not isinstance(event, dict):
            return super().parts(event)
        known = self._wire.known(event)
        return () if known is None else super().parts(known)

    def with_parts(self, event: Any, parts: Parts) -> Any:
        """Return an event like ``event`` with other parts."""
        known = self._wire.known(event) if isinstance(event, dict) else event
        return event if known is None else super().with_parts(known, parts)

    def split(self, event: Any) -> Sequence[Any]:
        """Return events that together say what ``event`` says, each one kind of thing."""
        known = self._wire.known(event) if isinstance(event, dict) else event
        if known is None or not isinstance(event, dict):
            return (event,) if known is None else super().split(event)
        pieces = super().split(known)
        return (event,) if len(pieces) == 1 else [self._wire.piece(piece) for piece in pieces]

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the events of a stream for the response that policies left."""
        responses = as_responses(response)
        if self._has_shape(responses, original):
            made = list(self._rewritten(responses, original))
            if all(isinstance(event, dict) for event in made):
                return made
        return self._wire.stream_of(responses, original)

    def answer(self, response: Any, event: dict[str, Any]) -> dict[str, Any]:
        """Return the whole answer for the response that policies left.

        Args:
            response: the response.
            event: the answer that came, as an event.
        """
        responses = as_responses(response)
        if self._has_shape(responses, [event]):
            made = list(self._rewritten(responses, [event]))
            if len(made) == 1 and isinstance(made[0], dict):
                return self._wire.as_answer(made[0])
        return self._wire.answer_of(responses, self._wire.as_answer(event))

    def _rewritten(
        self, responses: Sequence[ModelResponse], original: Sequence[Any]
    ) -> Iterable[Any]:
        return PartsCodec.events(self, responses if len(responses) > 1 else responses[0], original)

    def _has_shape(self, responses: Sequence[ModelResponse], original: Sequence[Any]) -> bool:
        """Return whether only texts and arguments differ from those of the original.

        With other calls, the reason to stop is another one, and what was signed is no longer true.
        """
        before = as_responses(self.assemble(original))
        return len(before) == len(responses) and all(
            one.thinking == other.thinking
            and [call.name for call in one.tool_calls] == [call.name for call in other.tool_calls]
            for one, other in zip(before, responses, strict=True)
        )


def as_responses(value: Any) -> list[ModelResponse]:
    """Return what a hook left of a response, a :class:`ModelResponse` for each choice."""
    values = value if isinstance(value, list) and value else [value]
    return [neutral_response(one, "a list of them, one for each choice") for one in values]
