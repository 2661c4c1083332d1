"""``hookctl check``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..completing import plugins
from ..examples import examples
from ..failure import BROKEN, GATE
from ..output import one_line, print_json
from ..watching import HELP as HELP_WATCH
from ..watching import arguments, watch

if TYPE_CHECKING:
    from ..author.checking import Checked


@click.command(
    "check",
    epilog=examples(
        "hookctl check", "hookctl check ./my-policy --watch", "hookctl check redact --json"
    ),
)
@click.argument("target", required=False, metavar="[NAME|PATH]", shell_complete=plugins)
@click.option(
    "--fail-on", type=click.Choice(["warning"]), help="Exit with 1 when there is a warning."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.option("--watch", "again", is_flag=True, help=HELP_WATCH)
def command(target: str | None, fail_on: str | None, as_json: bool, again: bool) -> None:
    """Check a plugin's code for common mistakes.

    It is imported in a process of its own. Told are points that are misspelt or not marked, wrong
    signatures, calls that block in async hooks, gates that edit, settings without a description, a
    schema that is missing or no longer true, patterns that match no tool in the log, an on_error
    that is left open, and how long the import takes, with what is heaviest in it.

    NAME is an installed plugin or distribution, PATH the folder of a project, installed or not;
    without either, the project here is meant. Exits with 3 when there is an error.
    """
    from ..author.subjects import subjects

    found = subjects(target)
    for subject in found:
        subject.check_vouched()
    if again:
        places = [place for subject in found for place in subject.watched()]
        watch(places, arguments(click.get_current_context(), but="again"))
    from ..author.checking import check

    checked = [check(subject) for subject in found]
    findings = [finding for one in checked for finding in one.findings]
    errors = sum(finding.severity == "error" for finding in findings)
    if as_json:
        print_json(_described(checked, errors))
    else:
        _print(checked, errors)
    if errors:
        raise click.exceptions.Exit(BROKEN)
    if findings and fail_on is not None:
        raise click.exceptions.Exit(GATE)


def _described(checked: list[Checked], errors: int) -> dict[str, Any]:
    findings = [asdict(finding) for one in checked for finding in one.findings]
    return {
        "errors": errors,
        "warnings": len(findings) - errors,
        "findings": findings,
        "plugins": [
            {
                "name": one.name,
                "points": one.points,
                "import_ms": None if one.took is None else one.took.milliseconds,
                "imports": {} if one.took is None else dict(one.took.heaviest),
            }
            for one in checked
        ],
    }


def _print(checked: list[Checked], errors: int) -> None:
    for one in checked:
        click.echo(one_line(f"{one.name}: {', '.join(one.points) or 'no points'}"))
        if one.took is not None:
            parts = ", ".join(f"{name} {ms:.1f}" for name, ms in one.took.heaviest)
            parts = f" ({parts})" if parts else ""
            click.echo(one_line(f"    import {one.took.milliseconds:.1f} ms{parts}"))
    findings = [finding for one in checked for finding in one.findings]
    for finding in findings:
        click.echo(one_line(f"{finding.severity}: {finding.subject}: {finding.message}"))
        click.echo(one_line(f"    mend it: {finding.fix}"))
    warnings = len(findings) - errors
    told = f"{_count(errors, 'error')}, {_count(warnings, 'warning')}."
    click.echo(told if findings else "Nothing is wrong.")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
