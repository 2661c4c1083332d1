"""The bodies of records about decisions and calls: names, ids and reasons, never arguments."""

from __future__ import annotations

import time
from typing import Any, Final

from hookcore import HookDispatchedEvent, HookRecord, ToolCallContext

from ._record import Entry

__all__ = ["Called", "called", "entry_of_call", "entry_of_decision", "now"]

_NAME: Final = "audit"
_LONGEST: Final = 500
"""Characters of a name, an id or a reason; some of them come from a model."""
_MOST_HOOKS: Final = 64
_IDS: Final = ("run_id", "parent_run_id", "session_id", "call_id")

Called = tuple[int, dict[str, Any]]
"""The time at which a call ended, and the rest that there is to tell of it."""


def now() -> int:
    """Return the time in microseconds since 1970."""
    return time.time_ns() // 1000


def called(ctx: ToolCallContext) -> Called:
    """Take what is recorded of a call from its context, which others go on to use.

    Args:
        ctx: the call, as ``tool_finished`` gives it.
    """
    agent = ctx.agent
    if agent is not None and not isinstance(agent, str):
        name = getattr(agent, "role", None) or getattr(agent, "name", None)
        # Any other object's text could be anything, so that its class must do.
        agent = name if isinstance(name, str) else agent.__class__.__qualname__
    tool = ctx.tool_name
    return now(), {
        # Cut at once: it comes from a model, and many calls may wait to be written.
        "tool": tool[: _LONGEST + 1] if isinstance(tool, str) else tool,
        "status": ctx.status,
        "entered": bool(ctx.entered),
        "error": None if ctx.error is None else type(ctx.error).__qualname__,
        "us": _microseconds(ctx.duration_ms),
        "agent": agent,
        "run_id": ctx.run_id,
        "parent_run_id": ctx.parent_run_id,
        "session_id": ctx.session_id,
        "call_id": ctx.call_id,
    }


def entry_of_call(call: Called) -> Entry:
    """Return what is recorded of a tool call that is over.

    Args:
        call: as :func:`called` took it.
    """
    at, told = call
    return Entry("call", at, _plain(told))


def entry_of_decision(event: HookDispatchedEvent) -> Entry | None:
    """Return what is recorded of what hooks decided; None when this plugin alone let pass.

    Args:
        event: the event of the dispatch.
    """
    if event.hook_count == 1 and event.outcome == "proceeded" and _is_ours(event.records):
        return None
    told: dict[str, Any] = {
        "point": event.interception_point,
        "outcome": event.outcome,
        "tool": event.tool,
        "agent": event.agent,
        "reason": event.abort_reason,
        "source": event.abort_source,
        "us": _microseconds(event.duration_ms),
        **{name: getattr(event, name) for name in _IDS},
    }
    body = _plain(told)
    body["hooks"] = [_plain(_hook(record)) for record in event.records[:_MOST_HOOKS]]
    if len(event.records) > _MOST_HOOKS:
        body["more_hooks"] = len(event.records) - _MOST_HOOKS
    return Entry("decision", int(event.timestamp.timestamp() * 1_000_000), body)


def _is_ours(records: list[HookRecord]) -> bool:
    return [(each.plugin, each.verdict) for each in records] == [(_NAME, "allow")]


def _hook(record: HookRecord) -> dict[str, Any]:
    return {
        "plugin": record.plugin,
        "hook": record.hook,
        "verdict": record.verdict,
        "effect": record.effect,
        "error": record.error,
    }


def _plain(told: dict[str, Any]) -> dict[str, Any]:
    """Return what has a canonical form, without what is not known."""
    plain: dict[str, Any] = {}
    for name, value in told.items():
        if value is None:
            continue
        plain[name] = value if isinstance(value, bool) or name == "us" else _text(value)
    return plain


def _microseconds(milliseconds: float | None) -> int | None:
    return None if milliseconds is None else max(0, round(milliseconds * 1000))


def _text(value: Any) -> str:
    text = str(value) if isinstance(value, str | int) else f"<{value.__class__.__name__}>"
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
