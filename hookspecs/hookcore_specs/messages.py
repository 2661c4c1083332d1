"""Payload types of the message and model-choice points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ChannelMessage", "ModelChoice"]


@dataclass(slots=True, kw_only=True)
class ChannelMessage:
    """A message that arrives on, or leaves through, a channel."""

    channel: str
    sender: str
    recipient: str
    content: str
    id: str | None = None
    thread: str | None = None
    subject: str | None = None
    timestamp: float | None = None
    """Seconds since the epoch."""
    attachments: list[Any] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class ModelChoice:
    """The provider and model that a call will use."""

    provider: str
    model: str
