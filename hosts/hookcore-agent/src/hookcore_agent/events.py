"""Events: what a stream hands out, and what extensions tell each other or hear from outside."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum
from types import MappingProxyType
from typing import Any

from .messages import Message
from .phases import Phase

__all__ = [
    "AgentEvent",
    "EventType",
    "ExtensionEvent",
    "ExternalEvent",
    "MessageAppendedEvent",
    "PhaseTransitionEvent",
    "RunCancelledEvent",
]


class EventType(str, Enum):
    """The subjects of the stream's events."""

    TEXT = "text"
    """A piece of the model's text; the payload is that text."""
    MODEL_STARTED = "model_started"
    MODEL_COMPLETED = "model_completed"
    """The payload is the ModelResponse."""
    TOOL_STARTED = "tool_started"
    """The payload is the list of the ToolCalls that start together."""
    TOOL_COMPLETED = "tool_completed"
    """The payload is the ToolMessage."""
    TOOL_FAILED = "tool_failed"
    """The payload is the ToolMessage; its ``denied_by`` names the policy of a denied call."""
    INPUT_DENIED = "input_denied"
    """A policy refused steering or queued input; the payload is the refusal, a HookAborted."""
    UNGOVERNED_TOOLS = "ungoverned_tools"
    """The provider runs tools that no policy sees; the payload is the list of their types."""
    COMPACTION_STARTED = "compaction_started"
    COMPACTION_COMPLETED = "compaction_completed"
    CUSTOM = "custom"
    """An extension's or tool's own, with a name."""
    RUN_COMPLETED = "run_completed"
    """The last event; the payload is the RunResult."""

    __str__ = str.__str__


@dataclass(eq=False)
class AgentEvent:
    """An event of a stream.

    Args:
        type: what it is about.
        name: the name of a custom event.
        payload: what belongs to it.
        session_id: the session; filled in by the runtime, like all that follows.
        run_id: the run.
        phase: the phase in which the event was handed over.
        timestamp: when that was (UTC).
    """

    type: EventType | str
    name: str | None = None
    payload: Any = None
    session_id: str | None = None
    run_id: str | None = None
    phase: Phase | None = None
    timestamp: datetime | None = None

    def __post_init__(self) -> None:
        with suppress(ValueError):
            self.type = EventType(str(self.type).lower())


@dataclass(frozen=True)
class ExtensionEvent:
    """Something that one extension tells the others; subclass it."""


class ExternalEvent:
    """Something from outside of the request; subclass it, as a dataclass too, or use it as it is.

    Args:
        name: what kind of event it is; the class's name when it is not given.
        payload: what belongs to it; nothing when it is not given.
    """

    # Without values here, so that a dataclass that extends this may have fields of these names.
    name: str
    payload: Mapping[str, Any]

    def __init__(self, name: str | None = None, payload: Mapping[str, Any] | None = None) -> None:
        if name is not None:
            self.name = name
        if payload is not None:
            self.payload = payload

    def __getattr__(self, attribute: str) -> Any:
        if attribute == "name":
            return type(self).__name__
        if attribute == "payload":
            return MappingProxyType({})
        raise AttributeError(f"{type(self).__name__} has no attribute {attribute!r}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {dict(self.payload)!r})"


@dataclass(frozen=True)
class MessageAppendedEvent(ExtensionEvent):
    """A message was added to the conversation, where it can be seen already."""

    message: Message


@dataclass(frozen=True)
class PhaseTransitionEvent(ExtensionEvent):
    """A request went from one phase to another."""

    source: Phase
    target: Phase
    occurred_at: datetime = field(default_factory=lambda: datetime.now(timezone.utc))
    monotonic_ns: int = field(default_factory=time.monotonic_ns)


@dataclass(frozen=True)
class RunCancelledEvent(ExtensionEvent):
    """A request was cancelled; it comes once, and there is no other notice of that."""

    previous_phase: Phase
    occurred_at: datetime
    monotonic_ns: int
