"""LiteLLM's interfaces that ask models: how each is called, and what it answers with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from litellm import ModelResponse
from litellm.types.llms.openai import ResponsesAPIResponse
from litellm.types.utils import ModelResponseStream

from hookcore.wires import ANTHROPIC, CHAT, RESPONSES, Wire

__all__ = ["FORMS", "Event", "Form", "StreamBrokenError"]


class Event(dict[str, Any]):
    """An event as JSON, with what it came as.

    Args:
        value: the event.
        came: the event as LiteLLM had it.
    """

    def __init__(self, value: dict[str, Any], came: Any) -> None:
        super().__init__(value)
        self.came = came


class StreamBrokenError(Exception):
    """The provider ended its stream with an error, which the caller is to read.

    Args:
        came: the event that says so.
    """

    def __init__(self, came: Any) -> None:
        super().__init__("the provider ended the stream with an error")
        self.came = came


@dataclass(frozen=True)
class Form:
    """An interface.

    Args:
        wire: the format of its requests and answers.
        names: its first parameters, which may be positional.
        answer: gives LiteLLM's answer for JSON.
        event: gives LiteLLM's event for JSON.
        reader: gives what reads the events of one stream, some or none of each piece.
    """

    wire: Wire
    names: tuple[str, ...]
    answer: Callable[[dict[str, Any]], Any]
    event: Callable[[dict[str, Any]], Any]
    reader: Callable[[], Callable[[Any], Iterable[Event]]]


def _object(piece: Any) -> Iterable[Event]:
    value = piece.model_dump(mode="json", exclude_none=True)
    if value.get("type") == "error":
        raise StreamBrokenError(piece)
    return [Event(value, piece)]


def _frames() -> Callable[[Any], Iterable[Event]]:
    """Return what reads server-sent events out of pieces of bytes."""
    rest = b""

    def read(piece: Any) -> Iterable[Event]:
        nonlocal rest
        if not isinstance(piece, (bytes, str)):
            return _object(piece)
        *frames, rest = (rest + (piece.encode() if isinstance(piece, str) else piece)).split(
            b"\n\n"
        )
        return [event for frame in frames for event in _event(frame + b"\n\n")]

    return read


def _event(frame: bytes) -> Iterable[Event]:
    data = [line[5:].strip() for line in frame.splitlines() if line.startswith(b"data:")]
    if not data:
        return
    try:
        value = json.loads(b"\n".join(data))
    except ValueError:
        raise StreamBrokenError(frame) from None
    if not isinstance(value, dict) or value.get("type") == "error":
        raise StreamBrokenError(frame)
    yield Event(value, frame)


def _response_event(value: dict[str, Any]) -> Any:
    from litellm.llms.openai.responses.transformation import OpenAIResponsesAPIConfig

    kind: Any = OpenAIResponsesAPIConfig.get_event_model_class(str(value.get("type")))
    return kind(**{"sequence_number": 0, **value})


FORMS: Final = {
    "chat_completions": Form(
        CHAT,
        ("model", "messages"),
        lambda value: ModelResponse(**value),
        lambda value: ModelResponseStream(**value),
        lambda: _object,
    ),
    "responses": Form(
        RESPONSES,
        ("input", "model"),
        lambda value: ResponsesAPIResponse(**value),
        _response_event,
        lambda: _object,
    ),
    "messages": Form(
        ANTHROPIC,
        ("max_tokens", "messages", "model"),
        lambda value: value,
        ANTHROPIC.written,
        _frames,
    ),
}
"""The interfaces, by LiteLLM's names of their routes."""
