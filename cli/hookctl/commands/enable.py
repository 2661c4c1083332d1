"""``hookctl enable``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hookcore.config import read_config, read_tables
from hookcore.discovery import discover

from ..change import apply, report
from ..examples import examples
from ..targets import find_plugins, is_usable

if TYPE_CHECKING:
    from hookcore.config.merge import Merged


@click.command(
    "enable",
    epilog=examples(
        "hookctl enable tool-policy",
        "hookctl enable hookcore-tool-policy --monitor",
        "hookctl enable tool-policy --user",
    ),
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--monitor", is_flag=True, help="Only record what it would do, and apply nothing.")
@click.option("--user", is_flag=True, help="Write your own configuration, not the project's.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def command(names: tuple[str, ...], monitor: bool, user: bool, as_json: bool) -> None:
    """Switch plugins on, by the name of a plugin or of a distribution.

    The change goes into the project's configuration, which is the nearest hookcore.toml or
    pyproject.toml with a [tool.hookcore] table, or a new hookcore.toml here. No plugin's code is
    imported.
    """
    catalog = discover()
    plugins = find_plugins(names, catalog, ())
    for name in plugins:
        is_usable(catalog[name])
    read_config()  # refuses what a manager would refuse
    merged, _ = read_tables()
    changes = apply({name: _keys(name, merged, monitor=monitor) for name in plugins}, user=user)
    report(changes, enabled=True, as_json=as_json)


def _keys(name: str, merged: Merged, *, monitor: bool) -> dict[str, Any]:
    keys: dict[str, Any] = {"enabled": True}
    if monitor:
        keys["mode"] = "monitor"
    elif merged.plugins().get(name, {}).get("mode") == "monitor":
        keys["mode"] = "enforce"
    return keys
