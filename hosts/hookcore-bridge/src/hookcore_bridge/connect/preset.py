"""``--preset careful``: the installed guards, switched on with settings that suit coding agents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from hookctl.change import apply, installed
from hookctl.failure import UsageError
from hookctl.output import note, printable

from .client import Scope

__all__ = ["CAREFUL", "enable_preset"]

CAREFUL: Final[Mapping[str, Mapping[str, Any]]] = {
    "shell-guard": {"preset": "careful"},
    # Taken out of what tools give back, and not out of what the agent writes into files.
    "redact": {"kinds": ["secrets"], "points": ["post_tool_call"]},
    "path-guard": {},
}
"""The guards, with their settings."""


def enable_preset(scope: Scope, *, dry_run: bool) -> None:
    """Switch the guards on in the configuration of a scope; what is configured stays as it is.

    Args:
        scope: whose configuration; the administrator's makes the guards required.
        dry_run: only say what would be done.

    Raises:
        UsageError: no guard is installed, or the configuration cannot be changed.
    """
    there = installed(CAREFUL)
    if not there:
        raise UsageError(
            "no guard is installed: pip install hookcore-shell-guard hookcore-redact "
            "hookcore-path-guard"
        )
    wanted: dict[str, dict[str | tuple[str, ...], Any]] = {}
    for name, is_configured in there.items():
        if is_configured:
            click.echo(f"{name} stays as it is configured")
        elif name == "path-guard" and scope != "project":
            note(
                "path-guard is left out: it guards one project's folders, so it belongs into the "
                "configuration of a project (--project)"
            )
        else:
            wanted[name] = {"enabled": True}
            wanted[name] |= {"required": True} if scope == "managed" else {}
            wanted[name] |= {("settings", key): value for key, value in CAREFUL[name].items()}
    if dry_run:
        for name in wanted:
            click.echo(f"{name} would be enabled")
        return
    managed = scope == "managed"
    for change in apply(wanted, user=scope == "user", system=managed):
        click.echo(printable(f"Enabled {change.name} in {change.file}"))
        if managed:
            _let_all_read(change.file)


def _let_all_read(file: Path) -> None:
    """Open the administrator's configuration and its lock to every user, whatever the umask is."""
    file.parent.chmod(0o755)
    for path in (file, file.with_suffix(".lock")):
        if path.exists():
            path.chmod(0o644)
