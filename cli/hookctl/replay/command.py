"""``hookctl replay``."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ..completing import plugins as plugin_names
from ..completing import settings_of_plugins
from ..examples import examples
from ..failure import GATE, USAGE, UsageError
from ..output import note
from ..overriding import HELP_SET, overrides
from ..tracebacks import HELP as HELP_TRACEBACK
from ..tracebacks import Failures
from ..watching import HELP as HELP_WATCH
from ..watching import arguments, watch
from .compare import TITLES, compared
from .configuration import configured_by
from .findings import Ledger
from .optiontypes import FormatName, read_shard, read_size
from .other import other_configuration
from .report import Shown, report
from .tracks import Tracks
from .ways import Way, watched

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .compare import Comparison
    from .job import Shard

_GATES = {
    "abort": "aborted",
    "modified": "modified",
    "error": "errors",
    "malformed": "malformed",
}
_MOST_ON_TERMINAL = 20
_INTERRUPTED = 130


@click.command(
    "replay",
    epilog=examples(
        "hookctl replay runs.jsonl",
        "hookctl replay session.jsonl --plugin tool-policy --json",
        "hookctl replay runs.jsonl --plugin tool-policy --set 'tool-policy.deny+=delete_*'",
        "cat runs.jsonl | hookctl replay - --fail-on abort --fail-on error",
        "hookctl replay runs.jsonl --html report.html",
        "hookctl replay runs.jsonl --against HEAD:hookcore.toml --fail-on newly-aborted",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "github", "sarif", "junit"]),
    help="How to print what was found; --json is short for json.",
)
@click.option("--statistics", is_flag=True, help="Print counts by plugin, rule and tool instead.")
@click.option("--html", metavar="FILE", help="Write what was found as a web page, too.")
@click.option(
    "--against",
    metavar="CONFIG",
    help="Compare with another configuration: a file, or REV:FILE of a git checkout.",
)
@click.option("--all", "show_all", is_flag=True, help="Show all findings on a terminal, too.")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice([*_GATES, *TITLES]),
    help="Exit with 1 when a plugin did that, input was malformed, or --against shows it; "
    "repeatable.",
)
@click.option(
    "--plugin",
    "plugins",
    multiple=True,
    metavar="NAME",
    help="Switch this plugin on for the replay, in addition to the enabled ones; repeatable.",
    shell_complete=plugin_names,
)
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="NAME.KEY=VALUE",
    help=HELP_SET,
    shell_complete=settings_of_plugins,
)
@click.option("--monitor", is_flag=True, help="Only record what plugins would do; apply nothing.")
@click.option(
    "--format",
    "forced",
    type=FormatName(),
    help="Read the files as this format instead of recognising it.",
)
@click.option("--traceback", is_flag=True, help=HELP_TRACEBACK)
@click.option("--watch", "again", is_flag=True, help=HELP_WATCH)
@click.option(
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    metavar="N",
    help="Replay in N processes side by side; 0 for one on each core.",
)
@click.option(
    "--out",
    metavar="DIR",
    help="Keep the findings of each part in this folder, from which a replay can go on.",
)
@click.option(
    "--on",
    metavar="URL",
    help="Have a cluster do it, as in dask://HOST:PORT or ray://HOST:PORT; needs --out.",
)
@click.option("--resume", is_flag=True, help="Do what is missing of the replay in --out.")
@click.option(
    "--shard",
    metavar="I/N",
    callback=read_shard,
    help="Do the I-th of N shares of the parts, into the --out that all of them share.",
)
@click.option(
    "--partition-size",
    metavar="SIZE",
    callback=read_size,
    help="About how much of an input is one part in --out; 8MiB unless given.",
)
def command(  # noqa: C901, PLR0917 - click passes the options by name
    files: tuple[str, ...],
    as_json: bool,
    output_format: str | None,
    statistics: bool,
    html: str | None,
    against: str | None,
    show_all: bool,
    fail_on: tuple[str, ...],
    plugins: tuple[str, ...],
    assignments: tuple[str, ...],
    monitor: bool,
    forced: str | None,
    traceback: bool,
    again: bool,
    jobs: int,
    out: str | None,
    on: str | None,
    resume: bool,
    shard: Shard | None,
    partition_size: int | None,
) -> None:
    """Show what the plugins would have done to recorded agent runs.

    Nothing is run: each message, model call and tool call of the transcripts is dispatched once,
    in order, as a dry run. FILE is a transcript, a pattern of them, or - for standard input:
    messages or calls of the OpenAI and Anthropic APIs, a Claude Code session, a SWE-agent or
    mini-swe-agent trajectory, traces of OpenTelemetry, LangChain or the OpenAI Agents SDK, or what
    hookcore recorded. What a file contains tells its format. JSON lines are read one at a time; any
    other document is read whole. It may be compressed, a URL, or a Parquet file.

    With --against the inputs are replayed under another configuration too, whose file stands in the
    place of the project's; what is newly stopped, not stopped any more, or otherwise different
    under this one is told, by rule and with its places.

    A step is one model call or tool call of a run. Text that a plugin takes out or replaces with
    a placeholder is shown by its length only.

    With --html a page that needs nothing beside it shows the numbers, each finding with what it
    changed, and each run as a time-line, with filters; it holds no more than the other reports.

    With --jobs the findings are the same, in the same order. Inputs are cut where a line ends when
    each line holds a run.

    With --out what each part came to is kept: a replay that was interrupted goes on with --resume,
    and several of them, each with its --shard, may share the work; --resume then sums up. With --on
    a cluster does the work: it must reach the inputs and --out under the same names, and have the
    same wheels installed. Settings go there as they are; env:NAME and file:PATH are read there.

    Exit codes: 0 done, 1 --fail-on, 2 an input cannot be read, 3 a plugin or the configuration is
    broken.
    """
    if out is None and (on or resume or shard or partition_size):
        raise UsageError("--on, --resume, --shard and --partition-size need --out DIR")
    if on is not None and jobs != 1:
        raise UsageError("--jobs is about this machine, and --on about another: leave one out")
    if traceback and (jobs != 1 or out is not None):
        raise UsageError("--traceback is for one process: leave --jobs and --out out")
    if again:
        if out is not None or "-" in files:
            raise UsageError("--watch is for files that can be read again: leave --out and - out")
        watch(watched(files, plugins), arguments(click.get_current_context(), but="again"))
    _check_comparison(against, out, fail_on)
    target = None if html is None else _target(html, shard)
    failures = Failures()
    way = Way(files, forced, jobs, out, on, resume, shard, partition_size)
    with Ledger() as ledger, Ledger() as before:
        tables = overrides(plugins, assignments)
        configuration = configured_by(tables, monitor=monitor, forced=forced)
        if target is not None:
            ledger.tracks = Tracks()
        rival, comparison = None, None
        if against is not None:
            rival = other_configuration(against, tables, monitor=monitor, forced=forced)
        with _ended() as ended:
            way.replay(configuration, ledger, failures)
            if rival is not None:
                way.replay(rival, before, failures)
                comparison = compared(before, ledger)
        _tell_unreadable(ledger)
        if shard is None:
            most = _MOST_ON_TERMINAL if sys.stdout.isatty() and not show_all else None
            form = "json" if as_json else output_format or "text"
            report(ledger, comparison, Shown(form, statistics=statistics, most=most), sys.stdout)
            if ended and form == "text":
                click.echo("interrupted: that is what was found until then")
        if target is not None:
            from ..pages import write_page
            from ..pages.replayed import replayed

            write_page(target, replayed(ledger, comparison, configuration, files, against))
            note(f"{target} shows it: open it in a browser")
        failures.tell(shown=traceback)
        code = _INTERRUPTED if ended else _exit_code(ledger, comparison, fail_on)
    if code:
        raise click.exceptions.Exit(code)


def _target(html: str, shard: Shard | None) -> Path:
    from ..pages import check_target

    if shard is not None:
        raise UsageError("--shard does a share of the parts: ask --resume for --html")
    return check_target(html)


def _check_comparison(against: str | None, out: str | None, fail_on: tuple[str, ...]) -> None:
    if against is not None and out is not None:
        raise UsageError("--against compares two replays at once: leave --out out")
    wanted = [gate for gate in fail_on if gate in TITLES]
    if against is None and wanted:
        raise UsageError(f"--fail-on {wanted[0]} needs --against CONFIG")


@contextmanager
def _ended() -> Iterator[list[bool]]:
    """Let what was found so far be told after an interrupt; the list then holds something."""
    ended: list[bool] = []
    try:
        yield ended
    except KeyboardInterrupt:
        ended.append(True)


def _tell_unreadable(ledger: Ledger) -> None:
    for refused in ledger.unreadable:
        note(f"{refused['where']} cannot be read: {refused['reason']}")


def _exit_code(ledger: Ledger, comparison: Comparison | None, fail_on: tuple[str, ...]) -> int:
    if ledger.unreadable:
        return USAGE
    counts: dict[str, int] = {gate: getattr(ledger, count) for gate, count in _GATES.items()}
    if comparison is not None:
        counts.update({kind: comparison.count(kind) for kind in TITLES})
    return GATE if any(counts[gate] for gate in fail_on) else 0
