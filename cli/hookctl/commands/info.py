"""``hookctl info``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hookcore.config import read_tables
from hookcore.config.model import dotted
from hookcore.discovery import discover

from ..completing import plugins
from ..examples import examples
from ..masking import masked
from ..output import note, one_line, print_json, printable
from ..rows import rows
from ..schemas import SCHEMA_FILE, points_in, shipped_schema
from ..settings.showing import as_rows, text_lines
from ..targets import find_plugin

if TYPE_CHECKING:
    from hookcore.config.merge import Merged
    from hookcore.discovery import PluginSource

    from ..rows import Row


@click.command("info", epilog=examples("hookctl info tool-policy", "hookctl info redact --load"))
@click.argument("name", shell_complete=plugins)
@click.option("--load", is_flag=True, help="Import it, if it is enabled, to tell what it hooks.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def command(name: str, load: bool, as_json: bool) -> None:
    """Show all that is known of one plugin, its settings, and where each option was set.

    Points and settings come from the schema that its package ships; nothing is imported for them.
    Secrets are masked.
    """
    catalog = discover()
    merged, _ = read_tables()
    plugin = find_plugin(name, catalog, merged.plugins())
    found = next(row for row in rows(catalog, merged) if row["name"] == plugin)
    source = catalog.get(plugin)
    found["problem"] = source.conflict if source is not None else None
    schema = shipped_schema(source)
    found["points"] = points_in(schema)
    if load and found["state"] == "enabled":
        schema = _fill_in(found) or schema
    found.update(_metadata(source), config=_config(plugin, merged, schema))
    found["settings"] = as_rows(schema)
    if as_json:
        print_json(found)
    else:
        _print(found)
        _print_settings(plugin, schema, installed=source is not None)


def _fill_in(found: Row) -> dict[str, Any] | None:
    """Tell what an import tells; return the schema of the settings, if there is one."""
    from ..inspection import inspect

    report = inspect([found["name"]])[found["name"]]
    if report.error is None:
        found.update(report.facts(), rules=report.rule_names)
    else:
        found.update(state="broken", problem=report.error)
    return report.settings_schema


def _metadata(source: PluginSource | None) -> dict[str, Any]:
    if source is None:
        return {"summary": None, "entry_point": None, "location": None}
    summary = None
    if Path(source.location).is_dir():
        from importlib_metadata import PathDistribution

        summary = PathDistribution(Path(source.location)).metadata.get("Summary")
    return {"summary": summary, "entry_point": source.value, "location": source.location}


def _config(name: str, merged: Merged, schema: dict[str, Any] | None) -> dict[str, Any]:
    """Tell the effective value of each key that somebody set, and who did."""
    root = ("plugins", name)
    result = {}
    for path, origin in sorted(merged.origins.items()):
        if path[:2] == root:
            table: Any = merged.table
            for key in path[:-1]:
                table = table[key]
            shown = masked(path[2:], table[path[-1]], schema, table)
            result[dotted(path[2:])] = {"value": shown, "origin": str(origin)}
    return result


def _print(found: Row) -> None:
    config = found.pop("config")
    del found["settings"]
    for key, value in found.items():
        if value is not None:
            shown = (", ".join(value) or "none") if isinstance(value, list) else value
            click.echo(printable(f"{key.replace('_', ' ') + ':':<14}{shown}"))
    if config:
        click.echo("configured:")
    for key, said in config.items():
        click.echo(printable(f"  {key} = {said['value']!r}    ({said['origin']})"))


def _print_settings(name: str, schema: dict[str, Any] | None, *, installed: bool) -> None:
    if schema is not None:
        lines = list(text_lines(name, schema, shutil.get_terminal_size().columns))
        click.echo("settings:" if lines else "settings:     none")
        for line in lines:
            click.echo(one_line(line))
    elif installed:
        note(
            f"{name} ships no schema of its settings, {SCHEMA_FILE} in its package, so that they "
            f"cannot be told without an import: 'hookctl schema {name}'"
        )
