"""``hookctl enable``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from hookcore.config import read_config, read_tables
from hookcore.discovery import discover

from ..change import apply, report
from ..completing import plugins as plugin_names
from ..examples import examples
from ..output import note
from ..schemas import shipped_schema
from ..targets import find_plugins, is_usable

if TYPE_CHECKING:
    from hookcore.config.merge import Merged
    from hookcore.discovery import Catalog

    Keys = dict[str | tuple[str, ...], Any]


@click.command(
    "enable",
    epilog=examples(
        "hookctl enable tool-policy",
        "hookctl enable hookcore-tool-policy --monitor",
        "hookctl enable tool-policy --user",
    ),
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=plugin_names)
@click.option("--monitor", is_flag=True, help="Only record what it would do, and apply nothing.")
@click.option("--user", is_flag=True, help="Write your own configuration, not the project's.")
@click.option("--no-test", is_flag=True, help="Do not run the cases that they ship.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def command(
    names: tuple[str, ...], monitor: bool, user: bool, no_test: bool, as_json: bool
) -> None:
    """Switch plugins on, by the name of a plugin or of a distribution.

    The change goes into the project's configuration, which is the nearest hookcore.toml or
    pyproject.toml with a [tool.hookcore] table, or a new hookcore.toml here. Settings that a plugin
    cannot do without are asked for on a terminal, and told elsewhere. No plugin's code is imported;
    only where a plugin ships cases, 'hookctl test' runs them in a process of its own afterwards,
    and what fails is told.
    """
    catalog = discover()
    plugins = find_plugins(names, catalog, ())
    for name in plugins:
        is_usable(catalog[name])
    read_config()  # refuses what a manager would refuse
    merged, _ = read_tables()
    wanted = {name: _keys(name, merged, monitor=monitor) for name in plugins}
    if _on_terminal() and not as_json:
        from ..settings.asking import asked

        for name in plugins:
            wanted[name] |= asked(name, shipped_schema(catalog[name]), _settings(name, merged))
    changes = apply(wanted, user=user)
    report(changes, enabled=True, as_json=as_json)
    _tell_missing(plugins, catalog)
    if not no_test:
        from ..author.canaries import tell_failing

        tell_failing([catalog[name] for name in plugins])


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _keys(name: str, merged: Merged, *, monitor: bool) -> Keys:
    keys: Keys = {"enabled": True}
    if monitor:
        keys["mode"] = "monitor"
    elif merged.plugins().get(name, {}).get("mode") == "monitor":
        keys["mode"] = "enforce"
    return keys


def _settings(name: str, merged: Merged) -> dict[str, Any]:
    found: dict[str, Any] = merged.plugins().get(name, {}).get("settings", {})
    return found


def _tell_missing(plugins: list[str], catalog: Catalog) -> None:
    """Tell the settings that are missing, and of a plugin that has none where they are shown."""
    from ..settings.writing import note_missing

    merged, _ = read_tables()
    for name in plugins:
        schema, settings = shipped_schema(catalog[name]), _settings(name, merged)
        if schema is None:
            continue
        note_missing(name, schema, settings)
        if schema.get("properties") and not settings:
            note(f"'hookctl info {name}' shows its settings")
