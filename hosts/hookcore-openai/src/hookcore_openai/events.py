"""The events of a stream: read from the wire, and written for the client."""

from __future__ import annotations

import json
from typing import Any

from hookcore.wires import Wire, WireCodec, as_responses

__all__ = ["Event", "StreamBrokenError", "Writer", "is_last", "read"]

_LAST = ("message_stop", "response.completed", "response.failed", "response.incomplete")


class Event(dict[str, Any]):
    """An event as JSON, with the bytes that it came as.

    Args:
        value: the event.
        wire: the bytes.
    """

    def __init__(self, value: dict[str, Any], wire: bytes) -> None:
        super().__init__(value)
        self.wire = wire


class StreamBrokenError(Exception):
    """The provider ended its stream with an error, which the client itself has to raise.

    Args:
        wire: the bytes that say so.
    """

    def __init__(self, wire: bytes) -> None:
        super().__init__("the provider ended the stream with an error")
        self.wire = wire


def read(sent: Any) -> Event | bytes | None:
    """Return a server-sent event; bytes for the end of the stream, None for one without data.

    Raises:
        StreamBrokenError: it is an error, or no JSON.
    """
    if not sent.data:
        return None
    name = f"event: {sent.event}\n" if sent.event else ""
    lines = "".join(f"data: {line}\n" for line in sent.data.split("\n"))
    wire = f"{name}{lines}\n".encode()
    if sent.data.startswith("[DONE]"):
        return wire
    try:
        value = json.loads(sent.data)
    except ValueError:
        raise StreamBrokenError(wire) from None
    if not isinstance(value, dict) or value.get("error") or sent.event == "error":
        raise StreamBrokenError(wire)
    return Event(value, wire)


def is_last(event: Any) -> bool:
    """Return whether nothing follows an event, so that readers may stop there."""
    return isinstance(event, dict) and event.get("type") in _LAST


class Writer:
    """Makes the client's bytes of what leaves a stream, hookcore's own events too.

    Args:
        wire: the format of the stream.
        codec: reads its events.
    """

    def __init__(self, wire: Wire, codec: WireCodec) -> None:
        self._wire, self._codec = wire, codec
        self._own: list[Any] = []
        self._has_others = False
        self._number = 0

    def bytes_of(self, *events: Any) -> bytes:
        """Return the bytes of events, without those of hookcore's own, which leave at the end."""
        own = [event for event in events if not isinstance(event, dict)]
        self._own += own
        self._has_others = self._has_others or len(own) < len(events)
        return b"".join(self._written(event) for event in events if isinstance(event, dict))

    def rest(self) -> bytes:
        """Return the bytes of hookcore's own events, as a stream of the provider's.

        Raises:
            TypeError: they came among the provider's own, where they have no place.
        """
        if not self._own:
            return b""
        if self._has_others:
            raise TypeError(
                f"a hook gave {type(self._own[0]).__name__} among the events of a stream: give "
                "events like the provider's, or all of the response"
            )
        responses = as_responses(self._codec.assemble(self._own))
        return b"".join(map(self._written, self._wire.stream_of(responses, [])))

    def _written(self, event: dict[str, Any]) -> bytes:
        if isinstance(event, Event):
            self._number = int(event.get("sequence_number") or 0) + 1
            return event.wire
        if self._wire.numbers_events and "sequence_number" not in event:
            event = {**event, "sequence_number": self._number}
            self._number += 1
        return self._wire.written(event)
