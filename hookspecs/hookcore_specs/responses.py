"""Shapes of a model's response and of its stream, for hosts that have none of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ModelResponse", "TextChunk", "ToolCall", "ToolCallChunk"]


@dataclass(slots=True)
class ToolCall:
    """A tool call that a model asks for; text arguments are JSON that was not parsed yet."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    id: str | None = None


@dataclass(slots=True)
class ModelResponse:
    """A whole response of a model; as a stream event, the last one, which sums the stream up."""

    content: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    usage: dict[str, int] | None = None
    thinking: str = ""
    """The model's thoughts aloud before it answered, where it tells them."""


@dataclass(slots=True)
class TextChunk:
    """A stream event: a piece of text."""

    text: str


@dataclass(slots=True)
class ToolCallChunk:
    """A stream event: a piece of the tool call with this ``index``, to be joined to the others."""

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""
