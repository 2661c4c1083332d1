"""Switching plugins on and off: tried out in memory first, then written to one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from hookcore.config import layer_files, read_tables
from hookcore.config.files import read_table
from hookcore.config.write import changed_table, set_keys
from hookcore.discovery import discover
from hookcore.errors import ConfigError

from .failure import UsageError
from .output import note, print_json, printable
from .rows import is_enabled
from .vouching import is_known, lock, one_at_a_time, remember

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from hookcore.config.merge import Merged
    from hookcore.config.model import KeyPath
    from hookcore.config.write import Changes

    Wanted = Mapping[str, Changes]

__all__ = ["HOOKCORE", "IN_FORCE", "PluginChange", "apply", "installed", "report", "target_file"]

IN_FORCE = (
    "In force at the next start of a program, and at once where it watches its configuration."
)


HOOKCORE = ""
"""Stands in the place of a plugin's name for hookcore's own tables."""


@dataclass(frozen=True, slots=True)
class PluginChange:
    """The change that was asked for one plugin, or for hookcore's own tables.

    It tells whether the file had to be written for it.
    """

    name: str
    keys: Changes
    file: Path
    written: bool


def installed(names: Iterable[str]) -> dict[str, bool]:
    """Return which of some plugins are installed, and whether each is configured already.

    Args:
        names: names of plugins.
    """
    catalog, (merged, _) = discover(), read_tables()
    said = merged.plugins()
    return {name: name in said for name in names if name in catalog}


def target_file(*, user: bool, system: bool = False) -> Path:
    """Return the file that a change belongs into.

    Args:
        user: the user's own file, instead of the project's.
        system: the administrator's file, instead of either.

    Returns:
        The file that the layer is read from, or would be if it were there.

    Raises:
        UsageError: the user has no home folder, or what the file says does not count.
        ConfigError: the project has two configurations.
    """
    layer = "system" if system else "user" if user else "project"
    found = [file for file in layer_files() if file.layer == layer]
    if not found:
        raise UsageError("there is no home folder to keep a configuration in: leave --user out")
    if found[0].ignored is not None:
        raise UsageError(f"{found[0].path} does not count: {found[0].ignored}, or use --user")
    return found[0].path


def apply(
    wanted: Wanted | Callable[[], Wanted], *, user: bool, system: bool = False
) -> list[PluginChange]:
    """Write changes, all or none of them.

    Args:
        wanted: the keys to set, for each plugin or ``HOOKCORE``; or what works it out while nobody
            else changes anything.
        user: as for :func:`target_file`.
        system: as for :func:`target_file`.

    Returns:
        What was done, in the order asked.

    Raises:
        UsageError: an earlier layer has locked a plugin.
        ConfigError: a file cannot be read or written.
    """
    with one_at_a_time():
        file = target_file(user=user, system=system)
        known = not (user or system) and is_known(file)
        return _apply(wanted() if callable(wanted) else wanted, file, known=known)


def _apply(wanted: Wanted, file: Path, *, known: bool) -> list[PluginChange]:
    table: dict[str, Any] = (read_table(file) or {}) if file.exists() else {}
    for name, keys in wanted.items():
        table = changed_table(table, _base(name), keys)
        try:
            read_tables(instead={file: table})
        except ConfigError as error:
            raise UsageError(f"{name or 'the configuration'} stays as it is: {error}") from error
    done = [
        PluginChange(name, keys, file, set_keys(file, _base(name), keys))
        for name, keys in wanted.items()
    ]
    if known:  # what is written does not count before, so nothing of it could be locked
        remember(file)
    lock(file, [name for name, keys in wanted.items() if ("enabled", True) in keys.items()])
    if known:
        remember(file)
    return done


def _base(name: str) -> KeyPath:
    return ("plugins", name) if name else ()


def report(changes: list[PluginChange], *, enabled: bool, as_json: bool) -> None:
    """Tell what was changed, and what in another layer keeps it from having an effect.

    Args:
        changes: what was done.
        enabled: whether the plugins were to be on afterwards.
        as_json: print a JSON array instead of sentences.
    """
    merged, _ = read_tables()
    if as_json:
        print_json([_described(change, merged) for change in changes])
        return
    for change in changes:
        keys = ", ".join(
            f"{key} = {_toml(value)}" for key, value in change.keys.items() if isinstance(key, str)
        )
        word = "Enabled" if enabled else "Disabled"
        if change.written:
            click.echo(printable(f"{word} {change.name}: {keys} in {change.file}"))
        else:
            click.echo(printable(f"{change.name}: {change.file} says so already ({keys})"))
        _warn(change.name, merged, enabled=enabled)
    if any(change.written for change in changes):
        note(IN_FORCE)


def _warn(name: str, merged: Merged, *, enabled: bool) -> None:
    if is_enabled(name, merged) == enabled:
        return
    at = merged.origins.get(("plugins", name, "enabled"))
    key = f"plugins.{name}.enabled"
    if enabled and merged.plugins()[name].get("enabled"):
        at, key = merged.origins["hooks", "enabled"], "hooks.enabled"
    note(f"This has no effect yet: {at} sets {key} = {_toml(not enabled)}, which wins.")


def _described(change: PluginChange, merged: Merged) -> dict[str, Any]:
    return {
        "name": change.name,
        "file": str(change.file),
        "changed": change.written,
        "set": {key: value for key, value in change.keys.items() if isinstance(key, str)},
        "effective": is_enabled(change.name, merged),
    }


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'
