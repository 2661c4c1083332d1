"""The options that ``connect`` and ``disconnect`` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from hookctl.failure import UsageError

from .client import Scope
from .clients import CLIENTS

__all__ = ["client_and_scope", "one_scope", "project_folder"]


def client_and_scope(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument CLIENT and the options for a scope, which come as ``name`` and flags."""
    options = (
        click.argument("name", metavar="CLIENT", type=click.Choice(list(CLIENTS))),
        click.option("--user", is_flag=True, help="Your own configuration; so without any option."),
        click.option("--project", is_flag=True, help="That of the project in the working folder."),
        click.option(
            "--managed", is_flag=True, help="The administrator's, for all users; as root."
        ),
        click.option("--dry-run", is_flag=True, help="Show the difference, and write nothing."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def one_scope(*, user: bool, project: bool, managed: bool) -> Scope:
    """Return the scope that was asked for.

    Raises:
        UsageError: it is more than one.
    """
    flags: dict[Scope, bool] = {"user": user, "project": project, "managed": managed}
    asked = [scope for scope, flag in flags.items() if flag]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} exclude each other: give one of them")
    return asked[0] if asked else "user"


def project_folder(name: str) -> Path:
    """Return the folder in which a client started here looks for a project's files.

    Args:
        name: the client.
    """
    here = Path.cwd()
    if not CLIENTS[name].from_root:
        return here
    return next((path for path in (here, *here.parents) if (path / ".git").exists()), here)
