"""``hookctl replay``."""

from __future__ import annotations

import io
import os
import sys
from contextlib import closing, redirect_stdout
from typing import TYPE_CHECKING

import click

from ..examples import examples
from ..failure import GATE, USAGE
from ..output import note
from .findings import Ledger
from .formats import NAMES
from .inputs import Inputs, total_bytes
from .managers import manager_with
from .progress import progress
from .report import text_lines, write_json
from .worker import Order

if TYPE_CHECKING:
    from hookcore import HookManager

    from .report import Style

_GATES = {"abort": "aborted", "modified": "modified", "error": "errors"}


@click.command(
    "replay",
    epilog=examples(
        "hookctl replay runs.jsonl",
        "hookctl replay session.jsonl --plugin tool-policy --json",
        "cat runs.jsonl | hookctl replay - --fail-on abort --fail-on error",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(list(_GATES)),
    help="Exit with 1 when a plugin did that; may be given more than once.",
)
@click.option(
    "--plugin",
    "plugins",
    multiple=True,
    metavar="NAME",
    help="Switch this plugin on for the replay, in addition to the enabled ones; repeatable.",
)
@click.option("--monitor", is_flag=True, help="Only record what plugins would do; apply nothing.")
@click.option(
    "--format",
    "forced",
    type=click.Choice(NAMES),
    help="Read the files as this format instead of recognising it.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    metavar="N",
    help="Replay in N processes side by side; 0 for one on each core.",
)
def command(  # noqa: PLR0917 - click passes the options by name
    files: tuple[str, ...],
    as_json: bool,
    fail_on: tuple[str, ...],
    plugins: tuple[str, ...],
    monitor: bool,
    forced: str | None,
    jobs: int,
) -> None:
    """Show what the plugins would have done to recorded agent runs.

    Nothing is run: each message, model call and tool call of the transcripts is dispatched once,
    in order, as a dry run. FILE is a transcript, or - for standard input: OpenAI chat messages
    (one run, a list of runs, or JSON lines), a Claude Code session, a SWE-agent or mini-swe-agent
    trajectory. JSON lines are read one at a time; any other document is read whole.

    A step is one model call or tool call of a run. Text that a plugin takes out or replaces with
    a placeholder is shown by its length only.

    With --jobs the findings are the same, in the same order. Inputs are cut where a line ends when
    each line holds a run. What a process of its own keeps for itself, such as a random key, differs
    from process to process.

    Exit codes: 0 done, 1 --fail-on, 2 an input cannot be read, 3 a plugin or the configuration is
    broken.
    """
    with Ledger() as ledger:
        # What a plugin prints is no part of the report.
        order = Order(plugins, monitor, forced)
        with redirect_stdout(sys.stderr), closing(_manager(order)) as manager:
            if jobs == 1:
                _replay(manager, ledger, files, forced)
            else:
                from .sidebyside import replay_side_by_side

                with progress(total_bytes(files)) as on_bytes:
                    replay_side_by_side(order, ledger, files, jobs or os.cpu_count() or 1, on_bytes)
        _report(ledger, as_json=as_json)
        code = _exit_code(ledger, fail_on)
    if code:
        raise click.exceptions.Exit(code)


def _manager(order: Order) -> HookManager:
    manager = manager_with(order)
    if not manager.plugins():
        note("no plugin is enabled, so nothing judges: hookctl enable NAME, or --plugin NAME")
    return manager


def _replay(
    manager: HookManager, ledger: Ledger, files: tuple[str, ...], forced: str | None
) -> None:
    from .engine import Engine

    engine = Engine(manager, ledger)
    inputs = Inputs(ledger, forced)
    with engine.listening(), progress(total_bytes(files)) as on_bytes:
        for path in files:
            for run in inputs.runs(path, on_bytes):
                engine.replay(run)


def _report(ledger: Ledger, *, as_json: bool) -> None:
    for refused in ledger.unreadable:
        note(f"{refused['where']} cannot be read: {refused['reason']}")
    if as_json:
        write_json(ledger, sys.stdout)
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    style = _style()
    for line in text_lines(ledger, style):
        click.echo(line)


def _style() -> Style:
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        return click.style
    return lambda text, **_: text


def _exit_code(ledger: Ledger, fail_on: tuple[str, ...]) -> int:
    if ledger.unreadable:
        return USAGE
    return GATE if any(getattr(ledger, _GATES[gate]) for gate in fail_on) else 0
