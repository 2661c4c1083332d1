"""The streams that LiteLLM's callers read: its own, with the events that policies left."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from typing import Any

from litellm import CustomStreamWrapper
from litellm.types.utils import ModelResponseStream

from hookcore import ModelResponse
from hookcore.hosting import DefaultCodec
from hookcore.wires import CHAT, as_responses

__all__ = ["AsyncStream", "Codec", "Stream", "as_events", "closed"]


def as_events(response: Any, like: dict[str, Any] | None) -> list[Any]:
    """Return the events of a stream that says what a response does.

    Args:
        response: a neutral response, a text, or a list of them, one for each choice.
        like: an event or an answer with the ids to use, None where there is none.
    """
    events = CHAT.stream_of(as_responses(response), [] if like is None else [like])
    return [ModelResponseStream(**event) for event in events]


class Codec(DefaultCodec):
    """Reads events as hookcore does; a response that they cannot carry becomes a stream anew."""

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the events that stand for a response which took another's place."""
        text = isinstance(response, str)
        made = list(super().events(ModelResponse(response) if text else response, original))
        if made and all(hasattr(event, "choices") for event in made):
            return made
        like = next((event for event in original if hasattr(event, "choices")), None)
        return as_events(response, None if like is None else like.model_dump(exclude_none=True))


def closed(own: list[Any], codec: Codec) -> list[Any]:
    """Return the events of hookcore's own that have come, as LiteLLM's."""
    return as_events(codec.assemble(own), None) if own else []


class _Governed(CustomStreamWrapper):
    """LiteLLM's stream, whose events are what policies let out."""

    def __init__(self, source: Any, first: Any, made: Any) -> None:
        told = {"_hidden_params": {}, "model": None, **getattr(source, "__dict__", {})}
        self.__dict__.update(told, completion_stream=made)
        self._left = [] if first is None else [first]
        self._made = made


class Stream(_Governed):
    """A stream that is read without a loop.

    Args:
        source: the stream as LiteLLM made it; None when the provider was not asked.
        first: its first event, None for an empty one.
        made: the others, as policies let them out.
    """

    _made: Generator[Any, None, None]

    def __iter__(self) -> Stream:
        """Return the stream."""
        return self

    def __next__(self) -> Any:
        """Return the next event."""
        return self._left.pop() if self._left else next(self._made)

    def close(self) -> None:
        """End the call."""
        self._made.close()


class AsyncStream(_Governed):
    """A stream that is read in a loop; its arguments are those of :class:`Stream`."""

    _made: AsyncGenerator[Any, None]

    def __aiter__(self) -> AsyncStream:
        """Return the stream."""
        return self

    async def __anext__(self) -> Any:
        """Return the next event."""
        return self._left.pop() if self._left else await anext(self._made)

    async def aclose(self) -> None:
        """End the call."""
        await self._made.aclose()
