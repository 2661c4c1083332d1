"""The log of decisions as a page shows it."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from ..monitored import verdict_on
from ..summary import summarise, tallies
from .shape import Page, plain, state

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping

    from hookcore.log.reading import Filter, Log

    from ..tally import Tally
    from .shape import Moment

__all__ = ["MOST_EVENTS", "logged"]

MOST_EVENTS = 10_000
"""The decisions that a page shows unless somebody wants another number."""
_PARTS = 40
"""Bars of the trend."""
_SERIES = {"stopped": "aborted", "changed": "modified"}
_TOLD = ("modify", "deny", "error", "timeout")


def logged(log: Log, wanted: Filter, last: int | None, asked: Mapping[str, str]) -> dict[str, Any]:
    """Turn the log of decisions into the data of a page.

    Args:
        log: the log.
        wanted: which decisions count.
        last: how many are shown, the newest ones; None for all.
        asked: the filters in words, by their names.

    Returns:
        A value for JSON. Its numbers and its trend are of all decisions that count.
    """
    page = Page("log", "Decisions of policies")
    summary, found = summarise(log, wanted), tallies(log, wanted)[0]
    page.about = [("Log", str(log.file)), *asked.items()]
    page.totals = list(_totals(summary, found))
    page.plugins = list(_plugins(found))
    page.trend = _trend(log, wanted)
    events = list(log.events(wanted, last=last))
    page.notes = list(_notes(summary, len(events)))
    runs: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        runs.setdefault(_run(event), []).append(event)
    for name, group in runs.items():
        page.run(name, moments=map(_moment, group))
    places = dict.fromkeys(runs, 0)
    for event in events:
        name = _run(event)
        for record in event["records"]:
            if record["verdict"] in _TOLD:
                page.add(page.run(name), _finding(event, record, places[name]))
        places[name] += 1
    return page.to_data()


def _run(event: Mapping[str, Any]) -> str:
    if event["run_id"] is not None:
        return f"run {event['run_id']}"
    return "no run" if event["session_id"] is None else f"session {event['session_id']}"


def _moment(event: Mapping[str, Any]) -> Moment:
    return _when(event), event["point"], event["tool"], event["duration_ms"]


def _when(event: Mapping[str, Any]) -> str:
    text: str = event["timestamp"]
    return text.partition("+")[0].replace("T", " ")[:23]


def _finding(event: Mapping[str, Any], record: Mapping[str, Any], place: int) -> dict[str, Any]:
    # The hook that stopped an operation is the last one, so the event's reason is that hook's.
    stopped = record["verdict"] != "modify" and record["effect"] == "applied"
    return {
        "at": _when(event),
        "point": event["point"],
        "tool": event["tool"],
        "plugin": record["plugin"],
        "hook": record["hook"],
        "state": state(record["verdict"], record["effect"], stops=record["verdict"] == "deny"),
        "effect": record["effect"] if record["effect"] == "ignored" else None,
        "reason": event["reason"] if stopped else None,
        "rule": record["rule"],
        "error": record["error"],
        "source": event["source"] if stopped else None,
        "agent": event["agent"],
        "session": event["session_id"],
        "call": event["call_id"],
        "moment": place,
    }


def _totals(
    summary: Mapping[str, Any], found: Mapping[tuple[str, str], Tally]
) -> Iterator[tuple[str, int, str]]:
    outcomes = summary["outcomes"]
    yield "decisions", summary["events"], ""
    yield "stopped", outcomes.get("aborted", 0), "stopped"
    yield "changed", outcomes.get("modified", 0), "changed"
    yield "failed", sum(tally.failures for tally in found.values()), "failed"
    if would := sum(
        tally.would["deny"] + sum(tally.rule_stops.values()) for tally in found.values()
    ):
        yield "would stop", would, "would stop"
    if dropped := summary["dropped"]:
        yield "dropped", dropped, ""


def _plugins(found: Mapping[tuple[str, str], Tally]) -> Iterator[dict[str, Any]]:
    for (plugin, point), tally in sorted(found.items()):
        yield {
            "plugin": plain(plugin),
            "point": point,
            "calls": tally.calls,
            "modified": tally.verdicts["modify"],
            "aborted": tally.verdicts["deny"],
            "errors": tally.failures,
            "p50_ms": tally.quantile(0.5),
            "p99_ms": tally.quantile(0.99),
            "total_ms": sum(milliseconds for _, milliseconds in tally.times.values()),
        }


def _trend(log: Log, wanted: Filter) -> dict[str, Any]:
    parts = log.trend(wanted, _PARTS)
    return {
        "along": "the time, in UTC",
        "unit": "From",
        "series": list(_SERIES),
        "parts": [[_time(at), *_counts(outcomes)] for at, outcomes in parts],
    }


def _counts(outcomes: Counter[str]) -> Iterable[int]:
    return (outcomes[outcome] for outcome in _SERIES.values())


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def _notes(summary: Mapping[str, Any], shown: int) -> Iterator[str]:
    if (more := summary["events"] - shown) > 0:
        yield (
            f"The newest {shown} decisions are shown below, and {more} older ones are not; "
            "the numbers are of all of them. --last 0 shows all."
        )
    for told in summary["monitored"]:
        yield f"{verdict_on(told)}."
