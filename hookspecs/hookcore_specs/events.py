"""The telemetry record of one dispatch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal

__all__ = ["Effect", "HookDispatchedEvent", "HookRecord", "Outcome", "Verdict"]

Outcome = Literal["proceeded", "modified", "aborted"]
Verdict = Literal["allow", "modify", "deny", "error", "timeout", "skipped"]
Effect = Literal["applied", "observed", "ignored"]


@dataclass(slots=True)
class HookRecord:
    """The verdict of one hook in a dispatch, and what was done with it."""

    plugin: str
    hook: str
    verdict: Verdict
    effect: Effect
    duration_ms: float
    error: str | None = None
    """The exception's class and place, never its text."""
    rule: str | None = None
    """The rule that denied, as the policy's settings name it; None where the policy names none.

    A rule that is only monitored has a record of its own, before its hook's: ``observed``, ``deny``
    or ``allow`` as the rule would have it, with no duration.
    """


class _Made:
    """The raw data that an event's timestamp and records are made from when somebody asks."""

    __slots__ = ("made",)

    made: tuple[float, tuple[tuple[str, str], ...], float, list[float]]
    """The event's time in seconds since the epoch; the plugins and names of the hooks;
    when the first of them began and when each ended, in seconds of the performance counter."""


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

    def durations(self) -> list[tuple[str, float]]:
        """Return the plugin of each hook that ran and its milliseconds, without making records."""
        try:
            _, hooks, began, ends = self.made
        except AttributeError:
            ran = (record for record in self.records if record.verdict != "skipped")
            return [(record.plugin, record.duration_ms) for record in ran]
        starts = (began, *ends)
        return [
            (plugin, (ended - started) * 1e3)
            for (plugin, _), started, ended in zip(hooks, starts, ends, strict=False)
        ]

    def __getattr__(self, name: str) -> Any:
        # Called for what is not there: of a dispatch in which all hooks just let pass, the
        # dispatcher leaves what costs more than the dispatch itself to those who ask for it.
        if name == "timestamp":
            self.timestamp = datetime.fromtimestamp(self.made[0], timezone.utc)
            return self.timestamp
        if name == "records":
            _, hooks, began, ends = self.made
            self.records = records_of(hooks, began, ends)
            return self.records
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def records_of(
    hooks: Iterable[tuple[str, str]], began: float, ends: Iterable[float]
) -> list[HookRecord]:
    """Return the records of hooks that let pass, one after the other.

    Args:
        hooks: their plugins and names.
        began: when the first of them began, in seconds.
        ends: when each of those that ran ended, in seconds.
    """
    records = []
    for (plugin, hook), ended in zip(hooks, ends, strict=False):
        records.append(HookRecord(plugin, hook, "allow", "applied", (ended - began) * 1e3))
        began = ended
    return records
