"""``hookctl list``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hookcore.config import read_tables
from hookcore.discovery import discover

from ..distributions import distribution_of
from ..examples import examples
from ..oddities import mistakes
from ..output import note, print_json, print_table
from ..rows import enabled_names, rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookcore.config import ConfigFile
    from hookcore.config.merge import Merged

    from ..rows import Row

_ALWAYS = ("name", "state", "version", "distribution", "mode")
_COLUMNS = ("name", "state", "version", "distribution", "points", "priority", "mode", "on_error")


@click.command(
    "list",
    epilog=examples(
        "hookctl list",
        "hookctl list --load",
        "hookctl list --json | jq '.[] | select(.state == \"enabled\") | .name'",
    ),
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.option("--load", is_flag=True, help="Import the enabled plugins to fill in what they hook.")
def command(as_json: bool, load: bool) -> None:
    """List the plugins that are installed or configured.

    No plugin's code is imported, so this works when a plugin is broken; with --load the enabled
    ones are, in a process of their own.
    """
    catalog = discover()
    merged, files = read_tables()
    found = rows(catalog, merged)
    why = {name: source.conflict for name, source in catalog.items() if source.conflict}
    if load:
        from ..inspection import inspect

        for name, report in inspect(enabled_names(catalog, merged)).items():
            row = next(row for row in found if row["name"] == name)
            if report.error is not None:
                row["state"], why[name] = "broken", report.error
            else:
                row.update(report.facts())
    if as_json:
        print_json(found)
    else:
        _print(found)
        _explain(found, why, catalog.problems, merged, files)
        for file in files:
            if file.ignored is not None and file.exists:
                note(f"{file.path} does not count: {file.ignored}")
    wrong = mistakes(merged.table)
    if wrong is not None:
        note(f"No manager starts: {wrong}")


def _print(found: Sequence[Row]) -> None:
    if not found:
        click.echo("No plugins are installed: 'pip install' one, for example hookcore-tool-policy.")
        return
    columns = [c for c in _COLUMNS if c in _ALWAYS or any(row[c] is not None for row in found)]
    print_table(columns, [[_cell(row[column]) for column in columns] for row in found])


def _cell(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _explain(
    found: Sequence[Row],
    why: dict[str, str],
    problems: Sequence[str],
    merged: Merged,
    files: Sequence[ConfigFile],
) -> None:
    for name, reason in sorted(why.items()):
        note(f"{name} is broken: {reason}")
    for row in found:
        if row["state"] == "missing":
            at = merged.origins.get(("plugins", row["name"], "enabled"))
            # What is required cannot be switched off.
            off = "" if row["name"] in merged.locks else f", or run 'hookctl disable {row['name']}'"
            known = distribution_of(row["name"], files)
            install = "install it" if known is None else f"run 'pip install {known}'"
            note(
                f"{row['name']} is missing: {at} enables it, and no installed distribution offers "
                f"it: {install}{off}"
            )
    for problem in problems:
        note(problem)
    if merged.table.get("hooks", {}).get("enabled") is False:
        note(f"Nothing is loaded: {merged.origins['hooks', 'enabled']} sets hooks.enabled = false.")
