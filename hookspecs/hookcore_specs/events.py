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


@dataclass(slots=True)
class HookDispatchedEvent:
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
