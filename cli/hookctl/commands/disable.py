"""``hookctl disable``."""

from __future__ import annotations

import click

from hookcore.config import read_tables
from hookcore.discovery import discover

from ..change import apply, report
from ..completing import enabled_plugins
from ..examples import examples
from ..targets import find_plugins


@click.command(
    "disable",
    epilog=examples("hookctl disable tool-policy", "hookctl disable hookcore-tool-policy --user"),
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=enabled_plugins)
@click.option("--user", is_flag=True, help="Write your own configuration, not the project's.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def command(names: tuple[str, ...], user: bool, as_json: bool) -> None:
    """Switch plugins off, by the name of a plugin or of a distribution.

    Works for plugins that are broken or no longer installed, since none of their code is imported.
    A plugin that is required stays on.
    """
    merged, _ = read_tables()
    plugins = find_plugins(names, discover(), merged.plugins())
    changes = apply({name: {"enabled": False} for name in plugins}, user=user)
    report(changes, enabled=False, as_json=as_json)
