"""Commands of other distributions, from the entry-point group ``hookctl.commands``."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

from .failure import BrokenError

if TYPE_CHECKING:
    from importlib_metadata import EntryPoint

__all__ = [
    "GROUP",
    "entries",
    "further_commands",
    "load_command",
    "loaded",
    "named",
    "origin",
]

GROUP = "hookctl.commands"


def further_commands() -> dict[str, EntryPoint]:
    """Return the entry points of the group by name, sorted; nothing of them is imported."""
    found = sorted(entries(GROUP), key=lambda entry: (entry.name, origin(entry)))
    return {entry.name: entry for entry in reversed(found)}


def entries(group: str) -> list[EntryPoint]:
    """Return the entry points of a group, also where one distribution's cannot be read."""
    from importlib_metadata import distributions, entry_points

    try:
        return list(entry_points(group=group))
    except Exception:  # noqa: BLE001 - one broken distribution, which 'hookctl doctor' names
        found: list[EntryPoint] = []
        for distribution in distributions():
            with contextlib.suppress(Exception):
                found += distribution.entry_points.select(group=group)
        return found


def origin(entry: EntryPoint) -> str:
    """Return the distribution that an entry point belongs to, with its version."""
    dist = entry.dist
    return "an unknown distribution" if dist is None else f"From {dist.name} {dist.version}."


def loaded(entry: EntryPoint, what: str) -> Any:
    """Import what an entry point names.

    Args:
        entry: the entry point.
        what: its kind, for the message, as in "the command".

    Raises:
        BrokenError: it cannot be imported; the message names the distribution.
    """
    try:
        return entry.load()
    except Exception as error:
        raise BrokenError(
            f"{named(entry, what)} cannot be imported: {type(error).__name__}: {error}. Mend or "
            "reinstall it"
        ) from error


def named(entry: EntryPoint, what: str) -> str:
    """Return what an entry point is, with its name, place and distribution, for a message."""
    return f"{what} {entry.name} ({entry.value}, {origin(entry)})"


def load_command(entry: EntryPoint) -> click.Command:
    """Import a command.

    Raises:
        BrokenError: it cannot be imported, or is no command of click's.
    """
    command = loaded(entry, "the command")
    if not isinstance(command, click.Command):
        raise BrokenError(
            f"{named(entry, 'the command')} is {type(command).__name__}, not a click command: "
            "reinstall it"
        )
    return command
