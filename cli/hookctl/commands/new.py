"""``hookctl new``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ..examples import examples
from ..output import printable


@click.command(
    "new", epilog=examples("hookctl new no-payments", "hookctl new no-names --kind redactor")
)
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(["gate", "redactor", "observer", "wrap"]),
    default="gate",
    show_default=True,
    help="What it does: stops, rewrites, watches, or stands around tool calls.",
)
def command(name: str, kind: str) -> None:
    """Make the distribution of a new policy in the folder NAME.

    It holds the policy with its settings and their schema, tests, cases for 'hookctl test', and
    everything that a wheel needs; all of it is green as it is made.
    """
    from ..author.scaffold import make_project

    folder = make_project(name, kind, Path.cwd())
    click.echo(printable(f"Made {folder}"))
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            click.echo(f"  {name}{os.sep}{file.relative_to(folder)}")
    click.echo(
        f"\nNext:\n  cd {name}\n  python -m venv .venv && . .venv/bin/activate\n"
        "  pip install --editable '.[test]'\n  pytest && mypy\n  hookctl check\n"
        f"  hookctl enable {name}"
    )
