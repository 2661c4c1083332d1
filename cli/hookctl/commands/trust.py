"""``hookctl trust``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hookcore.config import layer_files
from hookcore.config.files import config_files, read_table

from ..examples import examples
from ..failure import UsageError
from ..masking import masked
from ..output import note, one_line, print_json

if TYPE_CHECKING:
    from pathlib import Path


@click.command("trust", epilog=examples("hookctl trust", "hookctl trust --revoke"))
@click.option("--revoke", is_flag=True, help="Stop trusting it.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def command(revoke: bool, as_json: bool) -> None:
    """Let this project's configuration count as it is now, and its hookcore.lock vouch for code.

    That matters where your own or the system's configuration says trust.project = "trusted", or
    verify = "enforce". Read the file first: any change to it afterwards has to be trusted again.
    """
    file = _project_file()
    if revoke:
        _revoke(file, as_json=as_json)
        return
    from hookcore.trust.lockfile import lock_beside, read_lock
    from hookcore.trust.projects import trust

    table = read_table(file) or {}
    read_lock(lock_beside(file))  # a broken one is not to be trusted
    entry = trust(file, table, lock_beside(file))
    if as_json:
        print_json({"file": str(file), "trusted": True, "config": entry.config, "lock": entry.lock})
        return
    click.echo(one_line(f"Trusted {file}, which says:"))
    for line in _lines(table):
        click.echo(one_line(f"  {line}"))
    if entry.lock is not None:
        click.echo(one_line(f"and {lock_beside(file)}"))
    for layer in layer_files():
        if layer.layer == "project" and layer.ignored is not None:
            note(f"It does not count all the same: {layer.ignored}")


def _project_file() -> Path:
    found = next(file for file in config_files(None) if file.layer == "project")
    if not found.exists:
        raise UsageError(f"there is no project configuration here or above ({found.path})")
    return found.path


def _revoke(file: Path, *, as_json: bool) -> None:
    from hookcore.trust.projects import forget

    was = forget(file)
    if as_json:
        print_json({"file": str(file), "trusted": False, "changed": was})
    else:
        click.echo(one_line(f"{file} is {'no longer' if was else 'not'} trusted"))


def _lines(table: dict[str, Any], path: tuple[str, ...] = ()) -> list[str]:
    from hookcore.config.model import dotted

    lines = []
    for key, value in table.items():
        if isinstance(value, dict):
            lines += _lines(value, (*path, key))
        else:
            lines.append(f"{dotted((*path, key))} = {_shown((*path, key), value, table)!r}")
    return lines


def _shown(path: tuple[str, ...], value: Any, table: dict[str, Any]) -> Any:
    # By its shape alone: who trusts a file must see which host it sends things to.
    if path[:1] == ("plugins",):
        return masked(path[2:], value, None, table)
    return masked(("settings", *path[1:]), value, None, table)
