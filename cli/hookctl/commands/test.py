"""``hookctl test``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..completing import plugins
from ..examples import examples
from ..failure import GATE, BrokenError, UsageError
from ..output import one_line, plugins_print_to_stderr, print_json
from ..tracebacks import HELP as HELP_TRACEBACK
from ..watching import HELP as HELP_WATCH
from ..watching import arguments, watch

if TYPE_CHECKING:
    from ..author.judging import Judged
    from ..author.subjects import Subject
    from ..tracebacks import Failures


@click.command(
    "test",
    epilog=examples(
        "hookctl test", "hookctl test ./my-policy --watch", "hookctl test tool-policy --traceback"
    ),
)
@click.argument("target", required=False, metavar="[NAME|PATH]", shell_complete=plugins)
@click.option("--traceback", is_flag=True, help=HELP_TRACEBACK)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.option("--watch", "again", is_flag=True, help=HELP_WATCH)
def command(target: str | None, traceback: bool, as_json: bool, again: bool) -> None:
    """Run the cases that a plugin ships: payloads, and the verdicts that they must have.

    They are in tests/cases.toml of its project, and in a wheel as cases.toml in its package. NAME
    is an installed plugin or distribution, PATH the folder of a project, installed or not; without
    either, the project here is meant. Each case is a dry run with the settings that it says.

    Exit codes: 0 all are as they should be, 1 some are not, 2 there are none, 3 a plugin cannot be
    imported.
    """
    from ..author.cases import read_cases
    from ..author.subjects import subjects
    from ..tracebacks import Failures

    found = subjects(target)
    for subject in found:
        subject.check_vouched()
    if again:
        places = [place for subject in found for place in subject.watched()]
        watch(places, arguments(click.get_current_context(), but="again"))
    failures = Failures()
    judged: list[Judged] = []
    for subject in found:
        file = subject.cases()
        if file is not None:
            cases = [one for one in read_cases(file) if one.plugin in {None, subject.name}]
            judged += _judged(subject, cases, failures)
    if not judged:
        names = ", ".join(subject.name for subject in found)
        raise UsageError(f"{names}: there are no cases: write [[case]] in tests/cases.toml")
    _tell(judged, as_json=as_json)
    failures.tell(shown=traceback)
    if any(one.problem is not None for one in judged):
        raise click.exceptions.Exit(GATE)


def _judged(subject: Subject, cases: list[Any], failures: Failures) -> list[Judged]:
    from ..author.judging import judge

    with plugins_print_to_stderr():
        try:
            target = subject.source.load()
        except (Exception, SystemExit) as error:
            raise BrokenError(
                f"{subject.name} ({subject.source.value}) cannot be imported: "
                f"{type(error).__name__}: {error}"
            ) from error
        return [judge(subject, target, case, failures) for case in cases]


def _tell(judged: list[Judged], *, as_json: bool) -> None:
    bad = [one for one in judged if one.problem is not None]
    if as_json:
        told = [
            {
                "case": one.case.name,
                "where": one.case.where,
                "expected": one.case.expect,
                "verdict": one.verdict,
                "problem": one.problem,
            }
            for one in judged
        ]
        print_json({"cases": len(judged), "failed": len(bad), "results": told})
        return
    for one in bad:
        click.echo(one_line(f"FAILED {one.case.name}: {one.problem}"))
        click.echo(one_line(f"    at {one.case.where}"))
    number = f"{len(judged)} case{'' if len(judged) == 1 else 's'}"
    click.echo(f"{number}, {len(bad)} failed" if bad else f"{number} passed")
