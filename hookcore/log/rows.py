"""Events as rows of the log's tables, and what they come to for each plugin, point and tool."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from .classes import class_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hookcore_specs import HookDispatchedEvent

__all__ = ["BLOCK", "Counts", "Rows", "count_rows", "rows_of", "text_of"]

BLOCK = 16_384
"""Events with consecutive ids that are counted together, and dropped together."""
_LONGEST = 500

Row = tuple[Any, ...]


class Rows(NamedTuple):
    """The rows of a batch of events, with their records."""

    events: list[Row]
    records: list[Row]


class Counts(NamedTuple):
    """The sums of rows, by block."""

    kinds: list[Row]
    """Block, point, tool and outcome; the earliest and the latest event, and how many."""
    verdicts: list[Row]
    """Block, plugin, point, tool (of observed denials only), rule, verdict, effect and the
    duration's class; how many, and their milliseconds."""


def rows_of(events: Sequence[HookDispatchedEvent], first: int, process: int) -> Rows:
    """Turn events into rows.

    Args:
        events: the events.
        first: the id of the first one.
        process: the id of the process that they are of.

    Raises:
        Exception: an event holds something that no table can.
    """
    rows = Rows([], [])
    for key, event in enumerate(events, first):
        rows.events.append(_event(key, event, process))
        for position, record in enumerate(event.records):
            rows.records.append(
                (
                    key,
                    position,
                    text_of(record.plugin),
                    text_of(record.hook),
                    record.verdict,
                    record.effect,
                    record.duration_ms,
                    text_of(record.error),
                    text_of(record.rule),
                )
            )
    return rows


def _event(key: int, event: HookDispatchedEvent, process: int) -> Row:
    return (
        key,
        event.timestamp.timestamp(),
        text_of(event.interception_point),
        event.outcome,
        event.duration_ms,
        event.hook_count,
        event.error_count,
        text_of(event.abort_reason),
        text_of(event.abort_source),
        text_of(event.tool),
        text_of(event.agent),
        text_of(event.run_id),
        text_of(event.parent_run_id),
        text_of(event.session_id),
        text_of(event.call_id),
        process,
    )


def text_of(value: Any) -> str | None:
    """Make text that SQLite takes and that a model cannot make arbitrarily long."""
    if value is None:
        return None
    if value.__class__ is str and len(value) <= _LONGEST and value.isascii():
        return value
    try:
        text = str(value)
    except Exception:  # noqa: BLE001 - an id is whatever the host makes it
        text = f"<{type(value).__name__}>"
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def count_rows(events: Iterable[Row], records: Iterable[Row]) -> Counts:
    """Count rows by block, so that a summary need not read them all.

    Args:
        events: rows as of :func:`rows_of`.
        records: rows as of :func:`rows_of`, each of one of these events.

    Raises:
        Exception: a row holds something that cannot be counted.
    """
    kinds: dict[Row, list[Any]] = {}
    about: dict[int, tuple[str, str]] = {}
    for row in events:
        key, at, point, tool = row[0], row[1], row[2], row[9] or ""
        about[key] = point, tool
        kind: Row = (key // BLOCK, point, tool, row[3])
        known = kinds.get(kind)
        if known is None:
            kinds[kind] = [at, at, 1]
        else:
            known[0], known[1] = min(known[0], at), max(known[1], at)
            known[2] += 1
    numbers: Counter[Row] = Counter()
    sums: dict[Row, float] = {}
    for key, _, plugin, _, verdict, effect, milliseconds, _, rule in records:
        point, tool = about[key]
        if not (effect == "observed" and verdict == "deny"):
            tool = ""
        duration = class_of(milliseconds)
        kind = key // BLOCK, plugin, point, tool, rule or "", verdict, effect, duration
        numbers[kind] += 1
        sums[kind] = sums.get(kind, 0.0) + milliseconds
    return Counts(
        [(*kind, *values) for kind, values in kinds.items()],
        [(*kind, number, sums[kind]) for kind, number in numbers.items()],
    )
