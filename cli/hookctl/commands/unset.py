"""``hookctl unset``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hookcore.config import read_tables
from hookcore.config.model import dotted
from hookcore.naming.suggest import did_you_mean

from ..change import target_file
from ..completing import keys_to_unset, plugins
from ..examples import examples
from ..failure import UsageError

if TYPE_CHECKING:
    from hookcore.config.model import KeyPath

    from ..settings.writing import Target


@click.command(
    "unset",
    epilog=examples("hookctl unset tool-policy default", "hookctl unset redact allow kinds --user"),
)
@click.argument("name", shell_complete=plugins)
@click.argument("keys", nargs=-1, required=True, metavar="KEY...", shell_complete=keys_to_unset)
@click.option("--user", is_flag=True, help="Change your own configuration, not the project's.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def command(name: str, keys: tuple[str, ...], user: bool, as_json: bool) -> None:
    """Take settings of a plugin out of the configuration, so that its own defaults hold.

    What another layer sets stays, and is told. Comments and order stay; no code is imported.
    """
    from ..settings.edits import path_of
    from ..settings.writing import Target, change_settings

    target = Target(name, user=user)
    paths = [path_of(key) for key in keys]

    def worked_out() -> dict[KeyPath, Any]:
        there = target.in_file()
        for path in paths:
            if not _has(there, path):
                raise UsageError(_not_there(target, there, path))
        return dict.fromkeys(paths)

    change_settings(target, worked_out, as_json=as_json)


def _has(table: Any, path: KeyPath) -> bool:
    for key in path:
        if not isinstance(table, dict) or key not in table:
            return False
        table = table[key]
    return True


def _not_there(target: Target, there: dict[str, Any], path: KeyPath) -> str:
    file, key = target_file(user=target.user), dotted(path)
    merged, _ = read_tables()
    at = merged.origins.get(("plugins", target.name, "settings", *path))
    if at is not None:
        return f"{file} does not set {key} of {target.name}: {at} does"
    return f"{file} does not set {key} of {target.name}{did_you_mean(key, map(str, there))}"
