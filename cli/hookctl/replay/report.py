"""The ledger as JSON, as text for people, or as other tools read it."""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import click

from .compare import TITLES
from .counting import COLUMNS
from .counting import statistics as counted
from .safetext import printable, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from .compare import Comparison
    from .findings import Ledger

    Style = Callable[..., str]

_MOST_LISTED = 20
_LONGEST = 60
_WORDS = {"modify": "changed", "deny": "stopped", "error": "failed", "timeout": "timed out"}
_COLOURS = {"modify": "yellow", "deny": "red", "error": "magenta", "timeout": "magenta"}


@dataclass(frozen=True, slots=True)
class Shown:
    """The form and the length of a report."""

    form: str = "text"
    """`text`, `json`, `github`, `sarif` or `junit`."""
    statistics: bool = False
    """True when counts are shown instead of findings."""
    most: int | None = None
    """The most findings that are printed as text; None for all."""


def report(ledger: Ledger, comparison: Comparison | None, shown: Shown, out: TextIO) -> None:
    """Print what a replay found.

    Args:
        ledger: the findings and numbers.
        comparison: what is other than under another configuration, where that was asked for.
        shown: how.
        out: where to write.
    """
    if shown.form == "json":
        write_json(ledger, out, comparison, statistics=shown.statistics)
        return
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")
    if shown.form == "text":
        style = click.style if out.isatty() and not os.environ.get("NO_COLOR") else _unstyled
        for line in text_lines(ledger, style, comparison, shown):
            click.echo(line, file=out)
        return
    from .notes import notes_of, write_github, write_junit, write_sarif

    writers = {"github": write_github, "sarif": write_sarif, "junit": write_junit}
    writers[shown.form](notes_of(ledger, comparison), out)


def _unstyled(text: str, **_style: object) -> str:
    return text


def write_json(
    ledger: Ledger,
    out: TextIO,
    comparison: Comparison | None = None,
    *,
    statistics: bool = False,
) -> None:
    """Write one JSON object with the summary and all findings, one finding after the other.

    Args:
        ledger: what was found.
        out: where to write.
        comparison: differences from another replay, which are written as well.
        statistics: whether counts are written in the place of findings.
    """
    out.write('{"summary": ' + json.dumps(ledger.summary(), indent=2))
    if comparison is not None:
        out.write(',\n"comparison": ' + json.dumps(comparison.as_json(), indent=2))
    if statistics:
        out.write(',\n"statistics": ' + json.dumps(counted(ledger), indent=2) + "}\n")
        return
    out.write(',\n"findings": [')
    separator = "\n"
    for finding in ledger.findings():
        out.write(separator + json.dumps(finding))
        separator = ",\n"
    out.write("\n]}\n")


def text_lines(
    ledger: Ledger,
    style: Style,
    comparison: Comparison | None = None,
    shown: Shown | None = None,
) -> Iterator[str]:
    """Write the report for people.

    Args:
        ledger: what was found.
        style: colours a text, as `click.style` does.
        comparison: differences from another replay, which are told instead of the findings.
        shown: how much is printed; everything when None.

    Yields:
        Lines that are safe to print, the totals last, where a terminal shows them.
    """
    shown = shown or Shown()
    if shown.statistics:
        yield from _statistics(ledger)
    elif comparison is not None:
        yield from _differences(comparison, style, shown.most)
    else:
        yield from _findings(ledger, style, shown.most)
    yield from _complaints(ledger)
    yield from _plugins(ledger)
    if comparison is not None:
        yield from _rules(comparison)
    yield from _summary(ledger, style)
    if comparison is not None:
        counts = [f"{title} {comparison.count(kind)}" for kind, title in TITLES.items()]
        yield "  " + "  ".join(counts)


def _findings(ledger: Ledger, style: Style, most: int | None) -> Iterator[str]:
    run, count = None, 0
    for finding in ledger.findings():
        count += 1
        if most is not None and count > most:
            continue
        if finding["run"] != run:
            run = finding["run"]
            yield style(printable(f"run {run}"), bold=True)
        yield from _finding(finding, style)
    if most is not None and count > most:
        yield f"... and {_count(count - most, 'more finding')}: --all shows them"
    if count:
        yield ""


def _differences(comparison: Comparison, style: Style, most: int | None) -> Iterator[str]:
    for kind, title in TITLES.items():
        chosen = [one for one in comparison.differences if one.kind == kind]
        if not chosen:
            continue
        yield style(title, bold=True)
        for difference in chosen[:most]:
            yield style(printable(f"  run {difference.finding['run']}"), dim=True)
            for sign, finding in (("-", difference.before), ("+", difference.after)):
                if finding is not None:
                    lines = list(_finding(finding, style))
                    yield f"{sign} {lines[0].lstrip()}"
                    yield from lines[1:]
        if most is not None and len(chosen) > most:
            yield f"... and {_count(len(chosen) - most, 'more difference')}: --all shows them"
        yield ""


def _rules(comparison: Comparison) -> Iterator[str]:
    rows = [
        [
            TITLES[row["kind"]],
            str(row["count"]),
            printable(str(row["plugin"] or "-")),
            printable(shorten(str(row["rule"] or row["reason"] or "-"), _LONGEST)),
        ]
        for row in comparison.by_rule()
    ]
    if rows:
        head = ["difference", "count", "plugin", "rule"]
        yield from _table([head, *rows[:_MOST_LISTED]], left=(0, 2, 3))
        if len(rows) > _MOST_LISTED:
            yield f"and {len(rows) - _MOST_LISTED} more rules: --json shows all"
        yield ""


def _statistics(ledger: Ledger) -> Iterator[str]:
    rows = [
        [
            printable(shorten("-" if value is None else str(value), _LONGEST))
            for value in row.values()
        ]
        for row in counted(ledger)
    ]
    if rows:
        yield from _table([list(COLUMNS), *rows], left=(1, 2, 3, 4, 5, 6))
        yield ""


def _summary(ledger: Ledger, style: Style) -> Iterator[str]:
    yield style(f"{_count(ledger.runs, 'run')}, {_count(ledger.events, 'event')}", bold=True)
    counts = [("aborted", ledger.aborted), ("modified", ledger.modified), ("errors", ledger.errors)]
    extra = [
        ("observed", ledger.observed),
        ("repeated", ledger.repeated),
        ("malformed", ledger.malformed),
    ]
    counts += [(name, count) for name, count in extra if count]
    yield "  " + "  ".join(f"{name} {count}" for name, count in counts)


def _plugins(ledger: Ledger) -> Iterator[str]:
    head = ["plugin", "calls", "modified", "aborted", "errors", "p50 ms", "p99 ms"]
    rows = [
        [
            printable(name),
            str(stats.times.count),
            str(stats.modified),
            str(stats.aborted),
            str(stats.errors),
            _milliseconds(stats.times.quantile(0.5)),
            _milliseconds(stats.times.quantile(0.99)),
        ]
        for name, stats in sorted(ledger.plugins.items())
    ]
    if rows:
        yield from _table([head, *rows])
        yield ""


def _table(rows: list[list[str]], left: Container[int] = (0,)) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _complaints(ledger: Ledger) -> Iterator[str]:
    listed = ledger.malformed_lines[:_MOST_LISTED]
    for entry in listed:
        yield printable(f"left out: {entry['where']}: {entry['reason']}")
    if more := ledger.malformed - len(listed):
        yield f"left out: {more} more (--json names them)"
    if listed:
        yield ""


def _finding(finding: dict[str, object], style: Style) -> Iterator[str]:
    verdict = str(finding["verdict"])
    tool = "" if finding["tool"] is None else f" {finding['tool']}"
    word = style(_WORDS.get(verdict, printable(verdict)), fg=_COLOURS.get(verdict))
    by = "" if finding["plugin"] is None else f" by {finding['plugin']}"
    note = "" if finding["effect"] == "applied" else f" ({finding['effect']})"
    reason = "" if finding["reason"] is None else f": {finding['reason']}"
    place = printable(f"step {finding['step']} {finding['point']}{tool}")
    yield f"  {place} {word}{printable(by + note + reason)}"
    yield style(printable(f"    at {finding['where']}"), dim=True)
    for line in str(finding["diff"] or "").splitlines():
        yield "    " + style(printable(line), fg={"-": "red", "+": "green"}.get(line[:1]))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
