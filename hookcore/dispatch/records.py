"""The records of one dispatch, and the event that is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from time import perf_counter, time
from typing import Any

from hookcore_specs import (
    Effect,
    HookAborted,
    HookContext,
    HookDispatchedEvent,
    HookRecord,
    Verdict,
)
from hookcore_specs.events import records_of

from ..hooks.hook import Hook
from ..naming.names import agent_names_of

__all__ = ["Records", "make_event", "passed_event", "passed_records", "source_name"]


class Records:
    """The records of one dispatch so far."""

    __slots__ = ("count", "errors", "list", "modified", "started", "tracked")

    def __init__(self, *, tracked: bool) -> None:
        self.list: list[HookRecord] = []
        self.count = 0
        self.errors = 0
        self.modified = False
        self.tracked = tracked
        self.started = perf_counter()

    def note(
        self,
        hook: Hook,
        verdict: Verdict,
        started: float,
        *,
        failure: str | None = None,
        effect: Effect | None = None,
        rule: str | None = None,
    ) -> HookRecord:
        """Add the record of a hook that ran."""
        if effect is None:
            effect = "observed" if hook.monitor else "applied"
        elapsed = (perf_counter() - started) * 1000.0
        record = HookRecord(hook.plugin, hook.name, verdict, effect, elapsed, failure, rule)
        self.list.append(record)
        self.count += 1
        if verdict == "modify" and effect == "applied":
            self.modified = True
        elif verdict in ("error", "timeout"):
            self.errors += 1
        return record

    def note_rules(
        self, hook: Hook, denied: Mapping[str, HookAborted], *, passed: bool
    ) -> list[tuple[HookRecord, HookAborted]]:
        """Add what the rules of a hook came to that are only monitored.

        Args:
            hook: the hook, which has run.
            denied: what they would have stopped, by rule.
            passed: whether it came to its end, so that the others would have stopped nothing.

        Returns:
            The records of denials, each with the denial.
        """
        told = []
        for rule in sorted(hook.monitored_rules if passed else denied):
            denial = denied.get(rule)
            verdict: Verdict = "allow" if denial is None else "deny"
            record = self._note_rule(
                HookRecord(hook.plugin, hook.name, verdict, "observed", 0.0, None, rule)
            )
            if denial is not None:
                told.append((record, denial))
        return told

    def _note_rule(self, record: HookRecord) -> HookRecord:
        self.list.append(record)
        return record

    def skip(self, hook: Hook) -> None:
        """Add the record of a hook that is running already and was therefore passed over."""
        self.list.append(HookRecord(hook.plugin, hook.name, "skipped", "ignored", 0.0))


def make_event(
    point: str,
    ctx: HookContext,
    records: Records,
    stopped_by: BaseException | None,
    tool: Any,
) -> HookDispatchedEvent:
    """Return the event of a dispatch.

    Args:
        point: the point's name.
        ctx: the context as it is after the dispatch.
        records: what the hooks said.
        stopped_by: the exception that the dispatch ends with.
        tool: the tool's name before any hook changed it.
    """
    reason: str | None = None
    source: str | None = None
    if isinstance(stopped_by, HookAborted):
        reason, source = stopped_by.reason, source_name(stopped_by.source)
    elif stopped_by is not None:
        reason = type(stopped_by).__name__
    names = agent_names_of(ctx)
    return HookDispatchedEvent(
        point,
        "aborted" if stopped_by is not None else "modified" if records.modified else "proceeded",
        records.count,
        (perf_counter() - records.started) * 1000.0,
        reason,
        source,
        datetime.now(timezone.utc),
        ctx.run_id,
        ctx.parent_run_id,
        ctx.session_id,
        ctx.call_id,
        names[0] if names else None,
        tool,
        records.errors,
        records.tracked,
        records.list,
    )


def passed_records(names: Iterable[tuple[str, str]], began: float, ends: list[float]) -> Records:
    """Return the records of a traced dispatch in which all hooks so far let pass.

    Args:
        names: the plugins and names of the hooks.
        began: when the first of them began, in seconds of the performance counter.
        ends: when each of those that ran ended.
    """
    records = Records(tracked=True)
    records.started = began
    records.list = records_of(names, began, ends)
    records.count = len(ends)
    return records


def passed_event(  # noqa: PLR0917 - what a compiled loop has, at one place of it
    point: str,
    ctx: HookContext,
    names: tuple[tuple[str, str], ...],
    began: float,
    ends: list[float],
    tool: Any,
) -> HookDispatchedEvent:
    """Return the event that :func:`make_event` makes where all hooks of a trace let pass.

    Args:
        point: the point's name.
        ctx: the context, whose agent is a text or None.
        names: as for :func:`passed_records`.
        began: as for :func:`passed_records`.
        ends: as for :func:`passed_records`.
        tool: the tool's name.
    """
    event: HookDispatchedEvent = object.__new__(HookDispatchedEvent)
    event.interception_point = point
    event.outcome = "proceeded"
    event.hook_count = len(ends)
    event.duration_ms = (ends[-1] - began) * 1e3
    event.abort_reason = event.abort_source = None
    event.made = (time(), names, began, ends)  # type: ignore[misc]  # mypy overlooks the base's slot
    event.run_id = ctx.run_id
    event.parent_run_id = ctx.parent_run_id
    event.session_id = ctx.session_id
    event.call_id = ctx.call_id
    event.agent = ctx.agent
    event.tool = tool
    event.error_count = 0
    event.mutations_tracked = True
    return event


def source_name(source: Any) -> str | None:
    """Return a name for what an abort gives as its source: a text, a function, an object."""
    if source is None or isinstance(source, str):
        return source
    return str(getattr(source, "__name__", type(source).__name__))
