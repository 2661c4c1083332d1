"""The tables of the configuration that a command changes, and the keys in them that are meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hookcore.config import PluginConfig, layer_files, read_tables
from hookcore.config.files import read_table
from hookcore.config.layer import Layer
from hookcore.config.merge import merge
from hookcore.config.model import dotted
from hookcore.discovery import discover
from hookcore.naming.suggest import did_you_mean, nearest

from ..change import HOOKCORE, target_file
from ..failure import UsageError
from ..masking import masked
from ..schemas import shipped_schema
from ..targets import find_plugin
from .edits import node_at
from .nodes import alternatives, is_hidden, properties_of
from .toml import toml

if TYPE_CHECKING:
    from hookcore.config.merge import Merged
    from hookcore.config.model import KeyPath

    from .nodes import Node

__all__ = ["OPTIONS", "TABLES", "Place", "Target", "is_whole", "place_of", "table_at"]

TABLES = ("hooks", "log", "record", "telemetry", "trust")
"""hookcore's own tables."""
OPTIONS = tuple(
    key for key in PluginConfig.__dataclass_fields__ if key not in {"rules", "settings"}
)
"""hookcore's own keys of a plugin's table."""


@dataclass(frozen=True, slots=True)
class Place:
    """A key in the table of a target."""

    path: KeyPath
    """The key as it was written, without what stands in front of it in the table."""
    within: KeyPath = ()
    """The keys in front of it: ``("settings",)``, ``("rules", RULE)`` or none."""
    schema: Node | None = None
    """The schema of what is within; None where nobody ships one."""
    twin: str | None = None
    """The whole key of hookcore's option, where a setting of the same name is meant."""

    @property
    def full(self) -> KeyPath:
        """The path from the target's table on."""
        return (*self.within, *self.path)


class Target:
    """A plugin's table, or hookcore's own tables.

    Args:
        name: the plugin or its distribution, as the user wrote it; ``HOOKCORE`` for hookcore's own.
        user: whether the user's own file is meant, instead of the project's.
    """

    def __init__(self, name: str, *, user: bool) -> None:
        catalog = discover()
        merged, _ = read_tables()
        self.user = user
        self.name = name and find_plugin(name, catalog, merged.plugins())
        self.schema = shipped_schema(catalog.get(self.name))

    @property
    def base(self) -> KeyPath:
        """The path of the table in the whole configuration."""
        return ("plugins", self.name) if self.name else ()

    def whole(self, path: KeyPath) -> str:
        """Return a path in the table as it is written in the whole configuration."""
        return dotted((*self.base, *path))

    def before(self) -> dict[str, Any]:
        """Return what holds for the file's layer: what it says itself, and the weaker ones."""
        file, layers = target_file(user=self.user), []
        for one in layer_files():
            if one.exists and one.ignored is None:
                layers.append(Layer(one.layer, read_table(one.path) or {}, one.path))
            if one.path == file:
                break
        return self.of(merge(layers))

    def in_file(self) -> dict[str, Any]:
        """Return what the file itself holds."""
        file = target_file(user=self.user)
        return table_at((read_table(file) or {}) if file.exists() else {}, self.base)

    def of(self, merged: Merged) -> dict[str, Any]:
        """Return the table out of merged ones."""
        return table_at(merged.table, self.base)

    def place(self, path: KeyPath, rule: str | None = None) -> Place:
        """Find what a key behind the plugin's name means: a setting of its own comes first.

        Args:
            path: the key.
            rule: the rule of the plugin whose table is meant, if one is.

        Raises:
            UsageError: it means nothing, or may mean two things.
        """
        if rule is not None:
            return self._of_rule(rule, path)
        is_option = path[0] in OPTIONS
        if self.schema is None and is_option:
            raise UsageError(
                f"{self.name} ships no schema, so that {path[0]} may be hookcore's option or a "
                f"setting: write {self.whole(path)} or {self.whole(('settings', *path))}"
            )
        if is_option and not _has(self.schema or {}, path[0]):
            return self._of_options(path)
        if self.schema is not None and not _has(self.schema, path[0]):
            known = [*OPTIONS, *properties_of(self.schema, self.schema)]
            if nearest(path[0], known) in OPTIONS:
                raise UsageError(
                    f"there is no setting {path[0]}, nor an option{did_you_mean(path[0], known)}"
                )
        twin = self.whole(path) if is_option else None
        return Place(path, ("settings",), self.schema, twin)

    def place_in_whole(self, path: KeyPath) -> Place:
        """Find what a key means that is written with its whole path.

        Args:
            path: the key from the table on.

        Raises:
            UsageError: it is the name of a table.
        """
        if not self.name:
            return Place(path, (), _own_schema("ConfigTable"))
        match path:
            case ("settings", _, *_):
                return Place(path[1:], ("settings",), self.schema)
            case ("rules", rule, _, *_):
                return self._of_rule(rule, path[2:])
            case ("settings",) | ("rules",) | ("rules", _):
                raise UsageError(f"{self.whole(path)} is a table: name a key in it")
        return self._of_options(path)

    def _of_rule(self, rule: str, path: KeyPath) -> Place:
        return Place(path, ("rules", rule), _own_schema("RuleTable"))

    def _of_options(self, path: KeyPath) -> Place:
        return Place(path, (), _own_schema("PluginTable"))

    def is_hidden(self, place: Place) -> bool:
        """Tell whether a value must not be shown."""
        if place.within != ("settings",):
            return False
        return is_hidden(place.path, node_at(self.schema, place.path), self.schema or {})

    def shown(self, path: KeyPath, value: Any) -> str:
        """Write a value as it may be shown.

        Args:
            path: the key, from the table on.
            value: its value.
        """
        return toml(masked(path, value, self.schema, {}) if self.name else value)


def table_at(table: Any, path: KeyPath) -> dict[str, Any]:
    """Return the table at a path; an empty one where there is none."""
    for key in path:
        table = table.get(key, {}) if isinstance(table, dict) else {}
    return table if isinstance(table, dict) else {}


def is_whole(word: str) -> bool:
    """Tell whether a word is a key with its whole path, such as ``hooks.verify=enforce``."""
    return word.startswith(tuple(f"{table}." for table in (*TABLES, "plugins")))


def place_of(path: KeyPath, *, user: bool) -> tuple[Target, Place]:
    """Find the table and the key that a whole path means.

    Args:
        path: such as ``("hooks", "verify")`` or ``("plugins", "redact", "mode")``.
        user: as for :class:`Target`.

    Raises:
        UsageError: there is no such table, or no key is named in it.
    """
    if path[0] != "plugins":
        if path[0] not in TABLES:
            near = did_you_mean(path[0], (*TABLES, "plugins"))
            raise UsageError(f"hookcore has no table {path[0]}{near}")
        target = Target(HOOKCORE, user=user)
        return target, target.place_in_whole(path)
    name, *rest = path[1:]
    if not rest:
        raise UsageError(f"{dotted(path)} is a table: name a key in it")
    target = Target(name, user=user)
    return target, target.place_in_whole(tuple(rest))


def _has(schema: Node, key: str) -> bool:
    """Tell whether a plugin has a setting: one that it names, or any where it takes any."""
    if key in properties_of(schema, schema):
        return True
    tables = [one for one in alternatives(schema, schema) if one.get("type", "object") == "object"]
    return any(one.get("additionalProperties", True) is not False for one in tables)


def _own_schema(table: str) -> Node:
    from hookcore.config import schema  # pydantic, which nobody else should wait for

    model: Any = getattr(schema, table)
    made: Node = model.model_json_schema()
    return made
