"""The summary of the log of decisions: counts and times for each plugin and point."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from .monitored import monitored, verdict_on
from .output import print_table
from .replay.safetext import shorten
from .tally import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookcore.log.reading import Filter, Log

__all__ = ["print_summary", "summarise", "tallies"]

_VERDICTS = ("allow", "modify", "deny", "error", "timeout", "skipped")
_MOST_TOOLS = 20
_MOST_RULES = 50
_LONGEST = 60


def tallies(
    log: Log, wanted: Filter | None = None
) -> tuple[dict[tuple[str, str], Tally], Counter[tuple[str, str, str | None, str | None]]]:
    """Count what the log holds.

    Args:
        log: the log.
        wanted: which events count; all when None.

    Returns:
        A tally for each plugin and point, and how often a monitored plugin or rule would have
        stopped something, by plugin, point, tool and rule.
    """
    from hookcore.log.reading import Filter

    found: dict[tuple[str, str], Tally] = {}
    stopped: Counter[tuple[str, str, str | None, str | None]] = Counter()
    for told in log.verdicts(wanted or Filter()):
        tally = found.setdefault((told.plugin, told.point), Tally())
        if told.is_of_rule:
            tally.rule_calls[told.rule] += told.number
            if told.verdict == "deny":
                tally.rule_stops[told.rule] += told.number
                stopped[told.plugin, told.point, told.tool or None, told.rule] += told.number
            continue
        tally.verdicts[told.verdict] += told.number
        if told.verdict != "skipped":
            number, milliseconds = tally.times.get(told.duration_class, (0, 0.0))
            tally.times[told.duration_class] = (
                number + told.number,
                milliseconds + told.milliseconds,
            )
        if told.effect == "observed":
            tally.would[told.verdict] += told.number
        if told.verdict == "deny" and told.effect == "observed":
            tally.would_rules[told.rule] += told.number
            kind = (told.plugin, told.point, told.tool or None, told.rule or None)
            stopped[kind] += told.number
        elif told.verdict == "deny":
            tally.rules[told.rule] += told.number
    return found, stopped


def summarise(log: Log | None, wanted: Filter) -> dict[str, Any]:
    """Sum up the log.

    Args:
        log: the log; None when there is none.
        wanted: which events count.

    Returns:
        Plain values for JSON.
    """
    if log is None:
        return {
            "events": 0,
            "outcomes": {},
            "dropped": 0,
            "plugins": [],
            "rules": [],
            "monitored": [],
            "would_have_stopped": [],
        }
    outcomes = log.outcomes(wanted)
    found, stopped = tallies(log, wanted)
    return {
        "events": sum(outcomes.values()),
        "outcomes": outcomes,
        "dropped": log.drops(wanted.since),
        "plugins": [
            {
                "plugin": plugin,
                "point": point,
                "calls": tally.calls,
                **{verdict: tally.verdicts[verdict] for verdict in _VERDICTS},
                "would_deny": tally.would["deny"],
                "would_modify": tally.would["modify"],
                "p50_ms": tally.quantile(0.5),
                "p99_ms": tally.quantile(0.99),
            }
            for (plugin, point), tally in sorted(found.items())
        ],
        "rules": _rules(found),
        "monitored": monitored(found),
        "would_have_stopped": [
            {"plugin": plugin, "point": point, "tool": tool, "rule": rule, "count": count}
            for (plugin, point, tool, rule), count in stopped.most_common()
        ],
    }


def _rules(found: Mapping[tuple[str, str], Tally]) -> list[dict[str, Any]]:
    """Count by rule what was stopped, and what would have been; where plugins name their rules."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for (plugin, _), tally in found.items():
        for rule in filter(None, {*tally.rules, *tally.would_rules, *tally.rule_stops}):
            denied, would = counts.get((plugin, rule), (0, 0))
            would += tally.would_rules[rule] + tally.rule_stops[rule]
            counts[plugin, rule] = (denied + tally.rules[rule], would)
    return [
        {"plugin": plugin, "rule": rule, "deny": denied, "would_deny": would}
        for (plugin, rule), (denied, would) in sorted(
            counts.items(), key=lambda item: (item[0][0], -sum(item[1]), item[0][1])
        )
    ]


def print_summary(summary: dict[str, Any]) -> None:
    """Print what :func:`summarise` returned, for people."""
    import click

    counts = ", ".join(f"{count} {name}" for name, count in sorted(summary["outcomes"].items()))
    click.echo(f"{summary['events']} decisions" + (f": {counts}" if counts else ""))
    if summary["dropped"]:
        click.echo(
            f"{summary['dropped']} more were dropped, since they could not be written in time"
        )
    rows = summary["plugins"]
    if rows:
        click.echo()
        columns = [c for c in rows[0] if c in _ALWAYS or any(row[c] for row in rows)]
        heads = [column.replace("_", " ") for column in columns]
        print_table(heads, [[_cell(row[column]) for column in columns] for row in rows])
    for told in summary["monitored"]:
        click.echo(f"\n{verdict_on(told)}")
    if summary["rules"]:
        click.echo("\nBy rule:")
        rules = summary["rules"]
        cells = [[_cell(value, _LONGEST) for value in row.values()] for row in rules[:_MOST_RULES]]
        print_table([column.replace("_", " ") for column in rules[0]], cells)
        if len(rules) > _MOST_RULES:
            click.echo(f"and {len(rules) - _MOST_RULES} more rules: --json shows all")
    stopped = summary["would_have_stopped"]
    if stopped:
        click.echo("\nIn monitor mode, this would have been stopped:")
        shown = [
            [_cell(value, _LONGEST) for value in row.values()] for row in stopped[:_MOST_TOOLS]
        ]
        print_table(list(stopped[0]), shown)
        if len(stopped) > _MOST_TOOLS:
            click.echo(f"and {len(stopped) - _MOST_TOOLS} more lines: --json shows all")


_ALWAYS = {"plugin", "point", "calls", "allow", "deny", "p50_ms", "p99_ms"}


def _cell(value: object, longest: int | None = None) -> object:
    if isinstance(value, str) and longest is not None:
        return shorten(value, longest)
    return f"{value:.3f}" if isinstance(value, float) else value
