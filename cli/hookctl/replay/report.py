"""The ledger as JSON, or as text for people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TextIO

from .safetext import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .findings import Ledger

    Style = Callable[..., str]

_MOST_LISTED = 20
_WORDS = {"modify": "changed", "deny": "stopped", "error": "failed", "timeout": "timed out"}
_COLOURS = {"modify": "yellow", "deny": "red", "error": "magenta", "timeout": "magenta"}


def write_json(ledger: Ledger, out: TextIO) -> None:
    """Write one JSON object with the summary and all findings, one finding after the other.

    Args:
        ledger: what was found.
        out: where to write.
    """
    out.write('{"summary": ' + json.dumps(ledger.summary(), indent=2) + ',\n"findings": [')
    separator = "\n"
    for finding in ledger.findings():
        out.write(separator + json.dumps(finding))
        separator = ",\n"
    out.write("\n]}\n")


def text_lines(ledger: Ledger, style: Style, most: int | None = None) -> Iterator[str]:
    """Write the report for people.

    Args:
        ledger: what was found.
        style: colours a text, as `click.style` does.
        most: how many findings are shown; None for all.

    Yields:
        Lines that are safe to print, the totals last, where a terminal shows them.
    """
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
    yield from _complaints(ledger)
    yield from _plugins(ledger)
    yield from _summary(ledger, style)


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


def _table(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells])


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
