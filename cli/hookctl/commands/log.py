"""``hookctl log``."""

from __future__ import annotations

import json
import re
import time
from collections import deque
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import click

from hookcore.log.reading import Filter, open_log

from ..examples import examples
from ..failure import UsageError
from ..output import note, one_line, print_json, print_table
from ..replay.safetext import shorten
from ..summary import print_summary, summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hookcore.log.reading import Log

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_POLL_SECONDS = 0.3
_LAST = 50
_LONGEST_TOOL = 60
_COLUMNS = ("time", "point", "tool", "outcome", "hooks", "reason")


@click.command(
    "log",
    epilog=examples(
        "hookctl log --since 1h --outcome aborted",
        "hookctl log --summary --since 7d",
        "hookctl log --plugin tool-policy --tool 'delete_*' --json",
        "hookctl log --follow",
        "hookctl log --html decisions.html --since 7d",
    ),
)
@click.option("--since", metavar="TIME", help="Only later ones: 30m, 12h, 7d, or a date and time.")
@click.option("--plugin", metavar="NAME", help="Only those that this plugin had a say in; a glob.")
@click.option(
    "--outcome",
    type=click.Choice(["proceeded", "modified", "aborted"]),
    help="Only those that came to this.",
)
@click.option("--tool", metavar="NAME", help="Only those about this tool; a glob.")
@click.option("--run", metavar="ID", help="Only those of one run.")
@click.option(
    "--last",
    metavar="N",
    type=click.IntRange(min=0),
    help="Only the last N; 0 for all.  [default: 50, and 10000 with --html]",
)
@click.option("--follow", is_flag=True, help="Go on showing new ones until interrupted.")
@click.option("--summary", is_flag=True, help="Show counts and times for each plugin and point.")
@click.option("--html", metavar="FILE", help="Write a web page instead.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON array; with --follow, JSON lines."
)
def command(  # noqa: PLR0917 - click passes the options by name
    since: str | None,
    plugin: str | None,
    outcome: str | None,
    tool: str | None,
    run: str | None,
    last: int | None,
    follow: bool,
    summary: bool,
    html: str | None,
    as_json: bool,
) -> None:
    """Show what hooks decided, from the log of decisions.

    The log is kept where the configuration says [log] enabled = true. It holds no payloads.
    """
    start = None if since is None else _time(since)
    wanted = Filter(since=start, plugin=plugin, outcome=outcome, tool=tool, run=run)
    if follow and summary:
        raise UsageError("--follow and --summary exclude each other")
    if html is not None and (follow or summary or as_json):
        raise UsageError("--html writes a page with the summary in it: leave the other forms out")
    if html is not None:
        asked = {"Since": since, "Plugin": plugin, "Outcome": outcome, "Tool": tool, "Run": run}
        _write_page(html, wanted, last, {name: text for name, text in asked.items() if text})
        return
    last = _LAST if last is None else last
    if follow:
        _follow(wanted, last, as_json=as_json)
        return
    with open_log() as log:
        if log is None and not as_json:
            note("There is no log yet: '[log] enabled = true' in a configuration begins one.")
        if summary:
            told = summarise(log, wanted)
            print_json(told) if as_json else print_summary(told)
        else:
            _show(log, wanted, last, as_json=as_json)


def _write_page(html: str, wanted: Filter, last: int | None, asked: Mapping[str, str]) -> None:
    from ..pages import check_target, write_page
    from ..pages.logged import MOST_EVENTS, logged

    target = check_target(html)
    with open_log() as log:
        if log is None:
            raise UsageError(
                "there is no log: '[log] enabled = true' in a configuration begins one"
            )
        most = MOST_EVENTS if last is None else last or None
        write_page(target, logged(log, wanted, most, asked))
    note(f"{target} shows it: open it in a browser")


def _show(log: Log | None, wanted: Filter, last: int, *, as_json: bool) -> None:
    events = () if log is None else log.events(wanted, last=last or None)
    if as_json:
        _print_array(events)
    elif log is not None:
        rows = list(_with_drops(events, log.dropped(wanted.since)))
        if rows:
            print_table(_COLUMNS, rows)
        else:
            click.echo("No decision matches.")
    dropped = log.drops(wanted.since) if log is not None else 0
    if dropped:
        note(f"{dropped} decisions were dropped, since they could not be written in time.")


def _with_drops(
    events: Iterable[dict[str, Any]], drops: Iterable[tuple[float, int, int]]
) -> Iterator[list[object]]:
    """Put what is missing where it is missing; before the first event, nobody would look for it."""
    left = deque(drops)
    for number, event in enumerate(events):
        at = datetime.fromisoformat(event["timestamp"]).timestamp()
        while left and left[0][0] <= at:
            dropped = left.popleft()
            if number:
                yield _missing(*dropped)
        yield _cells(event)
    yield from (_missing(*dropped) for dropped in left)


def _missing(at: float, process: int, events: int) -> list[object]:
    when = datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%d %H:%M:%SZ")
    told = f"{events} decisions are missing here (process {process})"
    return [when, "-", None, "dropped", told, None]


def _print_array(events: Iterable[dict[str, Any]]) -> None:
    """Print one event after the other: the log may be larger than the memory."""
    click.echo("[", nl=False)
    between = "\n"
    for event in events:
        click.echo(f"{between}{json.dumps(event)}", nl=False)
        between = ",\n"
    click.echo("\n]" if between != "\n" else "]")


def _follow(wanted: Filter, last: int, *, as_json: bool) -> None:
    seen, first, dropped = 0, True, None
    try:
        while True:
            with open_log() as log:
                news = (
                    ()
                    if log is None
                    else log.events(wanted, after=seen, last=last if first else None)
                )
                for event in news:
                    seen = event["id"]
                    click.echo(json.dumps(event) if as_json else _line(event))
                first = first and log is None
                before, dropped = dropped, 0 if log is None else log.drops()
                if before is not None and dropped > before:
                    note(f"{dropped - before} decisions were dropped.")
            time.sleep(_POLL_SECONDS)
    except KeyboardInterrupt:
        return


def _line(event: dict[str, Any]) -> str:
    return one_line("  ".join(str(cell) for cell in _cells(event) if cell is not None))


def _cells(event: dict[str, Any]) -> list[object]:
    return [
        event["timestamp"][:19].replace("T", " ") + "Z",
        event["point"],
        None if event["tool"] is None else shorten(event["tool"], _LONGEST_TOOL),
        event["outcome"],
        ", ".join(_hook(record) for record in event["records"]),
        _reason(event),
    ]


def _hook(record: dict[str, Any]) -> str:
    would = " (observed)" if record["effect"] == "observed" else ""
    return f"{record['plugin']}: {record['verdict']}{would}"


def _reason(event: dict[str, Any]) -> str | None:
    if event["reason"] is None:
        return None
    source = f" ({event['source']})" if event["source"] else ""
    return f"{event['reason']}{source}"


def _time(text: str) -> float:
    """Turn ``7d`` or a date into seconds since 1970."""
    ago = re.fullmatch(r"(\d{1,9})([smhdw])", text.strip())
    if ago is not None:
        return time.time() - int(ago[1]) * _SECONDS[ago[2]]
    try:
        return datetime.fromisoformat(re.sub(r"Z$", "+00:00", text.strip())).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            f"--since {text} is no time: write 30m, 12h, 7d, or 2031-12-31T23:59"
        ) from error
