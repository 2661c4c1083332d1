"""Settings of a plugin in a configuration file: what is there, and changing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hookcore.config import layer_files, read_tables
from hookcore.config.files import read_table
from hookcore.config.layer import Layer
from hookcore.config.merge import merge
from hookcore.config.model import dotted
from hookcore.discovery import discover

from ..change import IN_FORCE, apply, target_file
from ..masking import masked
from ..output import note, print_json, printable
from ..rows import is_enabled
from ..schemas import shipped_schema
from ..targets import find_plugin
from .described import missing_settings
from .edits import node_at
from .nodes import is_hidden
from .toml import toml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookcore.config.merge import Merged
    from hookcore.config.model import KeyPath

    from ..change import PluginChange

__all__ = ["Target", "change_settings", "note_missing"]

Changed = dict["KeyPath", Any]


class Target:
    """A plugin whose settings are to be changed.

    Args:
        name: the plugin or its distribution, as the user wrote it.
        user: whether the user's own file is meant, instead of the project's.
    """

    def __init__(self, name: str, *, user: bool) -> None:
        catalog = discover()
        merged, _ = read_tables()
        self.user = user
        self.name = find_plugin(name, catalog, merged.plugins())
        self.schema = shipped_schema(catalog.get(self.name))

    def before(self) -> dict[str, Any]:
        """Return the settings that hold for the file's layer: its own, and the weaker ones'."""
        file, layers = target_file(user=self.user), []
        for one in layer_files():
            if one.exists and one.ignored is None:
                layers.append(Layer(one.layer, read_table(one.path) or {}, one.path))
            if one.path == file:
                break
        return _settings(merge(layers), self.name)

    def in_file(self) -> dict[str, Any]:
        """Return the settings that the file itself holds."""
        file = target_file(user=self.user)
        table: Any = (read_table(file) or {}) if file.exists() else {}
        for key in ("plugins", self.name, "settings"):
            table = table.get(key, {}) if isinstance(table, dict) else {}
        return table if isinstance(table, dict) else {}

    def is_hidden(self, path: KeyPath) -> bool:
        """Tell whether a setting must not be shown."""
        return is_hidden(path, node_at(self.schema, path), self.schema or {})

    def shown(self, path: KeyPath, value: Any) -> str:
        """Write a value as it may be shown."""
        return toml(masked(("settings", *path), value, self.schema, {}))


def _settings(merged: Merged, name: str) -> dict[str, Any]:
    found = merged.plugins().get(name, {}).get("settings", {})
    return found if isinstance(found, dict) else {}


def change_settings(target: Target, changes: Callable[[], Changed], *, as_json: bool) -> None:
    """Write new values, and tell what was done and what keeps it from having an effect.

    Args:
        target: the plugin.
        changes: works the values out, while nobody else changes anything; None takes one away.
        as_json: print a JSON array instead of sentences.

    Raises:
        UsageError: an earlier layer has locked the plugin.
        ConfigError: the file cannot be read or written.
    """

    def wanted() -> Mapping[str, Mapping[str | KeyPath, Any]]:
        return {target.name: {("settings", *path): value for path, value in changes().items()}}

    (done,) = apply(wanted, user=target.user)
    merged, _ = read_tables()
    told = [(tuple(path[1:]), value) for path, value in done.keys.items()]
    if as_json:
        print_json([_described(target, done, told)])
    else:
        for path, value in told:
            click.echo(printable(_sentence(target, done, path, value)))
    for path, value in told:
        _warn(target, merged, path, value)
    if target.schema is None:
        note(f"{target.name} ships no schema of its settings: 'hookctl doctor' checks them")
    if not is_enabled(target.name, merged):
        note(f"{target.name} is not enabled: 'hookctl enable {target.name}'")
        return
    note_missing(target.name, target.schema, _settings(merged, target.name))
    if done.written and not as_json:
        note(IN_FORCE)


def _sentence(target: Target, done: PluginChange, path: Any, value: Any) -> str:
    key = f"plugins.{target.name}.settings.{dotted(path)}"
    if value is None:
        return f"Took {key} out of {done.file}"
    said = f"{key} = {target.shown(path, value)}"
    return f"Set {said} in {done.file}" if done.written else f"{done.file} says so already: {said}"


def _described(target: Target, done: PluginChange, told: list[tuple[Any, Any]]) -> dict[str, Any]:
    return {
        "name": target.name,
        "file": str(done.file),
        "changed": done.written,
        "set": {
            dotted(path): masked(("settings", *path), value, target.schema, {})
            for path, value in told
        },
    }


def _warn(target: Target, merged: Merged, path: KeyPath, value: Any) -> None:
    now: Any = _settings(merged, target.name)
    for key in path:
        now = now.get(key) if isinstance(now, dict) else None
    if now != value and value is not None:
        at = merged.origins.get(("plugins", target.name, "settings", *path), "a later layer")
        note(f"This has no effect: {at} sets {dotted(path)} = {target.shown(path, now)}, and wins.")
    elif value is None and now is not None:
        at = merged.origins.get(("plugins", target.name, "settings", *path), "another layer")
        note(f"{dotted(path)} is still {target.shown(path, now)}: {at} sets it.")


def note_missing(name: str, schema: Mapping[str, Any] | None, settings: Mapping[str, Any]) -> None:
    """Tell which settings a plugin cannot do without, and how they are set.

    Args:
        name: the plugin.
        schema: the JSON Schema that its package ships, if it does.
        settings: what is configured.
    """
    missing = missing_settings(schema or {}, settings)
    if missing:
        many = len(missing) > 1
        note(
            f"{name} needs {'settings that are' if many else 'a setting that is'} not there, and "
            f"nothing starts without {'them' if many else 'it'}:"
        )
    for one in missing:
        about = f": {one.description}" if one.description else ""
        note(f"  {one.key} ({one.type}){about}\n    hookctl set {name} {one.example or one.key}")
