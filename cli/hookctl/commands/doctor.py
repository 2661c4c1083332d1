"""``hookctl doctor``."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from hookcore.config import layer_files, read_config
from hookcore.discovery import discover
from hookcore.disk.state import StateError, state_folder
from hookcore.errors import HookcoreError

from ..doctor.code import check_code
from ..doctor.decisions import check_decisions
from ..doctor.files import check_files, check_switches
from ..doctor.finding import Diagnosis, error, warning
from ..doctor.further import check_further
from ..doctor.hooks import check_hooks, check_patterns, check_points
from ..doctor.stores import check_stores
from ..examples import examples
from ..failure import BROKEN, GATE
from ..output import one_line, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookcore.config import Config

    from ..inspection import Report

_ORDER = ("error", "warning", "note")


@click.command(
    "doctor",
    epilog=examples(
        "hookctl doctor",
        "hookctl doctor --no-load",
        "hookctl doctor --fail-on warning --json",
    ),
)
@click.option(
    "--no-load",
    is_flag=True,
    help="Import neither the enabled plugins nor the checks of other distributions.",
)
@click.option(
    "--fail-on", type=click.Choice(["warning"]), help="Exit with 1 when there is a warning."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def command(no_load: bool, fail_on: str | None, as_json: bool) -> None:
    """Say what is wrong, and which command mends it.

    Exits with 3 when there is an error, which is what keeps a manager from starting, a plugin out
    of it, or a policy from holding. Enabled plugins are imported in a process of their own, unless
    what is locked forbids it; checks of other distributions in this one.
    """
    found = [*_findings(load=not no_load), *([] if no_load else check_further())]
    findings = sorted(found, key=lambda f: (_ORDER.index(f.severity), f.subject, f.code))
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = sum(finding.severity == "warning" for finding in findings)
    if as_json:
        told = [asdict(finding) for finding in findings]
        print_json({"errors": errors, "warnings": warnings, "findings": told})
    else:
        _print(findings, errors, warnings)
    if errors:
        raise click.exceptions.Exit(BROKEN)
    if warnings and fail_on is not None:
        raise click.exceptions.Exit(GATE)


def _print(findings: list[Diagnosis], errors: int, warnings: int) -> None:
    for finding in findings:
        click.echo(one_line(f"{finding.severity}: {finding.subject}: {finding.message}"))
        what = "    mend it:" if finding.severity != "note" else "    about it:"
        click.echo(one_line(f"{what} {finding.fix}"))
    if not findings:
        click.echo("Nothing is wrong.")
    else:
        click.echo(f"{_count(errors, 'error')}, {_count(warnings, 'warning')}.")


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _findings(*, load: bool) -> Iterator[Diagnosis]:
    try:
        files = layer_files()
    except HookcoreError as problem:
        yield _wrong(problem)
        return
    yield from check_files(files)
    try:
        config = read_config()
    except HookcoreError as problem:
        yield _wrong(problem)
        return
    yield from check_switches(config)
    yield from check_stores(config, discover(), os.environ)
    found = list(check_code(config, discover()))
    yield from found
    bad = {finding.subject for finding in found if finding.severity == "error"}
    yield from _loaded(config, bad, load=load)


def _wrong(problem: HookcoreError) -> Diagnosis:
    if isinstance(problem, StateError):
        return error("state", state_folder(), str(problem), f"chmod -R go-w {state_folder()}")
    where = getattr(problem, "file", None) or getattr(problem, "key", None) or "configuration"
    fix = f"correct {where}; 'hookctl config schema' tells what is right"
    return error("configuration", where, str(problem).removeprefix(f"{where}: "), fix)


def _loaded(config: Config, bad: set[str], *, load: bool) -> Iterator[Diagnosis]:
    from hookcore.log.reading import LogError

    from ..inspection import inspect

    catalog = discover()
    on = [n for n, plugin in config.plugins.items() if plugin.enabled and n in catalog]
    names = [name for name in on if name not in bad] if load and config.enabled else []
    reports = inspect(names)
    yield from check_hooks(config, reports)
    try:
        yield from _from_log(config, reports)
    except LogError as problem:
        from hookcore.log.store import log_file

        yield warning("log", log_file(), str(problem), f"mv {log_file()} {log_file()}.broken")


def _from_log(config: Config, reports: Mapping[str, Report]) -> Iterator[Diagnosis]:
    from hookcore.log.reading import open_log

    with open_log() as log:
        if log is None:
            return
        yield from check_patterns(config, reports, log.tools())
        points = log.points() if log.hosts() else None
        if points is not None:
            yield from check_points(reports, points)
        yield from check_decisions(log, reports, points)
