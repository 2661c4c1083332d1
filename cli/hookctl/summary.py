"""The summary of the log of decisions: counts and times for each plugin and point."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .output import print_table
from .replay.safetext import shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookcore.log.reading import Filter, Log

__all__ = ["Tally", "print_summary", "summarise", "tallies", "verdict_on"]

_VERDICTS = ("allow", "modify", "deny", "error", "timeout", "skipped")
ENOUGH_CALLS = 1000
"""The calls in monitor mode before a plugin is said to be quiet enough to be enforced."""
_MOST_TOOLS = 20
_MOST_RULES = 50
_LONGEST = 60


@dataclass(slots=True)
class Tally:
    """The counts and times of one plugin at one point."""

    verdicts: Counter[str] = field(default_factory=Counter)
    would: Counter[str] = field(default_factory=Counter)
    """Verdicts that were only observed, in monitor mode."""
    rules: Counter[str] = field(default_factory=Counter)
    """The rules that stopped something; an empty name where the plugin named none."""
    would_rules: Counter[str] = field(default_factory=Counter)
    """The same in monitor mode, where nothing was stopped."""
    times: dict[int, tuple[int, float]] = field(default_factory=dict)
    """For each class of durations, how many of the calls are in it, and their milliseconds."""

    @property
    def calls(self) -> int:
        """The number of times that its hooks ran."""
        return sum(number for number, _ in self.times.values())

    @property
    def failures(self) -> int:
        """The number of times that they failed."""
        return self.verdicts["error"] + self.verdicts["timeout"]

    def quantile(self, share: float) -> float | None:
        """Return the milliseconds that so many of the calls took at most, give or take 1 %."""
        before, at = 0, int(share * self.calls)
        for _, (number, milliseconds) in sorted(self.times.items()):
            before += number
            if before > at or before == self.calls:
                return milliseconds / number
        return None


def tallies(
    log: Log, wanted: Filter | None = None
) -> tuple[dict[tuple[str, str], Tally], Counter[tuple[str, str, str | None, str | None]]]:
    """Count what the log holds.

    Args:
        log: the log.
        wanted: which events count; all when None.

    Returns:
        A tally for each plugin and point, and how often a monitored plugin would have stopped
        something, by plugin, point, tool and rule.
    """
    from hookcore.log.reading import Filter

    found: dict[tuple[str, str], Tally] = {}
    stopped: Counter[tuple[str, str, str | None, str | None]] = Counter()
    for told in log.verdicts(wanted or Filter()):
        tally = found.setdefault((told.plugin, told.point), Tally())
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
        "monitored": _monitored(found),
        "would_have_stopped": [
            {"plugin": plugin, "point": point, "tool": tool, "rule": rule, "count": count}
            for (plugin, point, tool, rule), count in stopped.most_common()
        ],
    }


def _rules(found: Mapping[tuple[str, str], Tally]) -> list[dict[str, Any]]:
    """Count by rule what was stopped, and what would have been; where plugins name their rules."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for (plugin, _), tally in found.items():
        for rule in filter(None, {*tally.rules, *tally.would_rules}):
            denied, would = counts.get((plugin, rule), (0, 0))
            counts[plugin, rule] = (denied + tally.rules[rule], would + tally.would_rules[rule])
    return [
        {"plugin": plugin, "rule": rule, "deny": denied, "would_deny": would}
        for (plugin, rule), (denied, would) in sorted(
            counts.items(), key=lambda item: (item[0][0], -sum(item[1]), item[0][1])
        )
    ]


def _monitored(found: Mapping[tuple[str, str], Tally]) -> list[dict[str, Any]]:
    """Tell of each plugin in monitor mode whether it is quiet enough to be enforced.

    It is when a thousand calls and more were neither to be stopped nor failed; None, when there
    were too few calls to tell.
    """
    told = []
    for plugin in sorted({plugin for (plugin, _), tally in found.items() if tally.would}):
        mine = [tally for (name, _), tally in found.items() if name == plugin]
        would = sum((tally.would for tally in mine), Counter[str]())
        calls, failures = sum(would.values()), would["error"] + would["timeout"]
        loud = would["deny"] + failures
        rules = sum((tally.would_rules for tally in mine), Counter[str]())
        enough = True if calls >= ENOUGH_CALLS else None
        told.append(
            {
                "plugin": plugin,
                "calls": calls,
                "would_deny": would["deny"],
                "would_modify": would["modify"],
                "failures": failures,
                "quiet": False if loud else enough,
                "loud_rules": sorted(filter(None, rules)),
                "other_rules_quiet": False if rules[""] or failures or not rules else enough,
            }
        )
    return told


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


def verdict_on(told: Mapping[str, Any]) -> str:
    """Say whether a plugin in monitor mode is quiet enough to be enforced.

    Args:
        told: an item of `monitored` in what :func:`summarise` returned.

    Returns:
        A sentence without its end.
    """
    name, calls = told["plugin"], told["calls"]
    if told["quiet"]:
        return f"{name} is quiet in monitor mode ({calls} calls): enforce it"
    if told["quiet"] is None:
        return f"{name} is quiet in monitor mode so far ({calls} calls): wait for {ENOUGH_CALLS}"
    share = 100 * told["would_deny"] / calls
    others = (
        "; all its rules but those that are counted here are quiet: enforce them"
        if told["other_rules_quiet"]
        else ""
    )
    return (
        f"{name} is in monitor mode: of {calls} calls it would have stopped {told['would_deny']} "
        f"({share:.3g} %), and it failed in {told['failures']}{others}"
    )


_ALWAYS = {"plugin", "point", "calls", "allow", "deny", "p50_ms", "p99_ms"}


def _cell(value: object, longest: int | None = None) -> object:
    if isinstance(value, str) and longest is not None:
        return shorten(value, longest)
    return f"{value:.3f}" if isinstance(value, float) else value
