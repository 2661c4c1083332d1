"""The telemetry record of one dispatch."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Literal

__all__ = ["Effect", "HookDispatchedEvent", "HookRecord", "Outcome", "Verdict"]

Outcome = Literal["proceeded", "modified", "aborted"]
Verdict = Literal["allow", "modify", "deny", "error", "timeout", "skipped"]
Effect = Literal["applied", "observed", "ignored"]


@dataclass(slots=True)
class HookRecord:
    """What one hook said in a dispatch, and what was done with it."""

    plugin: str
    hook: str
    verdict: Verdict
    effect: Effect
    duration_ms: float
    error: str | None = None
    """The exception's class and place, never its text."""


class _Made:
    """When an event was made, for a timestamp that is worked out when somebody asks for it."""

    __slots__ = ("made_at",)

    made_at: float
    """Seconds since the epoch."""


@dataclass(slots=True)
class HookDispatchedEvent(_Made):
    """One dispatch that reached at least one hook; holds no payload and no arguments."""

    interception_point: str
    outcome: Outcome
    hook_count: int
    duration_ms: float
    abort_reason: str | None = None
    abort_source: str | None = None
    timestamp: datetime = field(default_factory=lambda: datetime.now(timezone.utc))
    run_id: str | None = None
    parent_run_id: str | None = None
    session_id: str | None = None
    call_id: str | None = None
    agent: str | None = None
    """The agent's role, else its name."""
    tool: str | None = None
    """The tool's name as the model wrote it."""
    error_count: int = 0
    mutations_tracked: bool = False
    records: list[HookRecord] = field(default_factory=list)

    def __getattr__(self, name: str) -> datetime:
        # Called for what is not there: the dispatcher sets made_at and leaves the timestamp, whose
        # making costs as much as a third of a dispatch.
        if name != "timestamp":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.timestamp = datetime.fromtimestamp(self.made_at, timezone.utc)
        return self.timestamp
