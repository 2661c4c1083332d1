"""A streamed response of pydantic-ai's, of the events that the policies let through."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

from pydantic_ai.messages import (
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai.models import StreamedResponse
from pydantic_ai.usage import RequestUsage

import hookcore

from .codec import as_response

__all__ = ["GovernedStream", "nobody"]

_TOLD = (
    "provider_response_id",
    "provider_details",
    "canonical_system",
    "finish_reason",
    "state",
    "metadata",
    "failed_attempts",
)
"""The attributes in which a stream says of itself while it goes on, in some versions."""


def nobody(model_name: str) -> Any:
    """Return what stands for a model's own stream until there is one."""

    async def cancel() -> None:
        """Cancel nothing."""

    told = {"provider_name": None, "provider_url": None, "usage": RequestUsage(), "cancel": cancel}
    return SimpleNamespace(model_name=model_name, timestamp=datetime.now(timezone.utc), **told)


def _of_inner(name: str) -> Any:
    return property(lambda self: getattr(self.inner, name))


@dataclass
class GovernedStream(StreamedResponse):
    """The stream that the framework reads, in the place of the model's own.

    Args:
        inner: the model's own stream, once it is open.
        source: the events that may leave.
    """

    inner: Any
    source: AsyncGenerator[Any, None] | None = None
    _first: list[Any] = field(default_factory=list, init=False)

    model_name = _of_inner("model_name")
    provider_name = _of_inner("provider_name")
    provider_url = _of_inner("provider_url")
    timestamp = _of_inner("timestamp")
    usage = _of_inner("usage")

    async def open(self, source: AsyncGenerator[Any, None]) -> None:
        """Wait for the first event: what keeps a request from being answered is raised here."""
        self.source = source
        async for event in source:
            self._first.append(event)
            break

    async def _get_event_iterator(self) -> AsyncIterator[Any]:
        writer = _Writer()
        for event in self._first:
            for written in writer.written(event):
                yield self._applied(written)
        if self.source is not None:
            async for event in self.source:
                for written in writer.written(event):
                    yield self._applied(written)
        self._follow()

    def _applied(self, event: Any) -> Any:
        self._follow()
        self._parts_manager.apply_event(event)
        return event

    def _follow(self) -> None:
        for name in _TOLD:
            if hasattr(self.inner, name):
                setattr(self, name, getattr(self.inner, name))

    def assembled(self, events: Sequence[Any]) -> ModelResponse:
        """Return the response that some events amount to."""
        own, writer = GovernedStream(self.model_request_parameters, self.inner), _Writer()
        for event in events:
            for written in writer.written(event):
                own._applied(written)
        return replace(own.get(), state="complete")

    async def close_stream(self) -> None:
        """Let the model's own stream be cancelled."""
        await self.inner.cancel()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """Return what the model's own stream raises when it is cancelled."""
        told: Any = getattr(self.inner, "get_stream_cancel_errors", tuple)()
        errors: tuple[type[BaseException], ...] = told
        return errors


class _Writer:
    """Makes of the events that left those that the framework reads, with places of their own.

    A hook may have dropped the start of a part, or let calls wait while texts went on.
    """

    def __init__(self) -> None:
        self._places: dict[Any, int] = {}
        #: The place of the text that goes on, of a wrap's own.
        self._text: int | None = None

    def written(self, event: Any) -> Iterator[Any]:
        """Yield the events that an event amounts to."""
        if isinstance(event, PartStartEvent):
            yield self._start(event.part, event.index)
        elif isinstance(event, PartDeltaEvent):
            place = self._places.get(event.index)
            if place is not None:
                yield replace(event, index=place)
            elif (part := _begun(event.delta)) is not None:
                yield self._start(part, event.index)
        elif isinstance(event, (str, hookcore.TextChunk)):
            text = event if isinstance(event, str) else event.text
            if self._text is not None:
                yield PartDeltaEvent(index=self._text, delta=TextPartDelta(text))
                return
            start = self._start(TextPart(text), object())
            self._text = start.index
            yield start
        elif isinstance(event, (ModelResponse, hookcore.ModelResponse)):
            for part in as_response(event).parts:
                yield self._start(part, object())

    def _start(self, part: Any, key: Any) -> Any:
        self._text = None
        place = self._places.setdefault(key, len(self._places))
        return PartStartEvent(index=place, part=part)


def _begun(delta: Any) -> Any:
    if isinstance(delta, TextPartDelta):
        return TextPart(delta.content_delta)
    if isinstance(delta, ThinkingPartDelta):
        return ThinkingPart(delta.content_delta or "")
    return delta.as_part()
