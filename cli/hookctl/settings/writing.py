"""Writing keys of the configuration, and telling what was done and what stands against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hookcore.config import read_tables
from hookcore.config.days import day_of
from hookcore.config.layer import Layer
from hookcore.config.model import dotted
from hookcore.config.write import changed_table
from hookcore.errors import ConfigError

from ..change import IN_FORCE, apply
from ..failure import UsageError
from ..masking import masked
from ..output import note, print_json, printable
from ..rows import is_enabled
from .described import missing_settings
from .edits import Edit, changed
from .target import table_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hookcore.config.merge import Merged
    from hookcore.config.model import KeyPath
    from hookcore.config.write import Changes

    from ..change import PluginChange
    from .target import Place, Target

__all__ = ["Asked", "change_keys", "note_missing", "worked_out"]

Asked = list[tuple["Target", "Place", "Edit | None"]]
"""Each key that is to be changed, and how; None takes it away."""
Changed = dict["KeyPath", Any]
JSON = (str, bool, int, float, list, dict)


def worked_out(
    before: Mapping[str, Any], edits: Iterable[tuple[Place, Edit]], base: KeyPath
) -> Changed:
    """Work out what edits of one table come to.

    Args:
        before: what the table says before.
        edits: the edits, each on top of the ones before, and the key that each means.
        base: the path of the table in the whole configuration.

    Returns:
        The new value for each path from the table on.

    Raises:
        UsageError: a key is unknown or a value wrong.
    """
    grouped: dict[KeyPath, tuple[Place, list[Edit]]] = {}
    for place, edit in edits:
        one = Edit(place.path, edit.sign, edit.text)
        grouped.setdefault(place.within, (place, []))[1].append(one)
    found: Changed = {}
    for within, (place, group) in grouped.items():
        new = changed(table_at(before, within), group, place.schema)
        if within != ("settings",):
            new = {path: _dated(path, value) for path, value in new.items()}
            _check(base, within, new)
        found |= {(*within, *path): value for path, value in new.items()}
    return found


def _dated(path: KeyPath, value: Any) -> Any:
    """Return a day as TOML has it."""
    return day_of(value) if path[-1] == "expires" else value


def _check(base: KeyPath, within: KeyPath, new: Changed) -> None:
    """Hold hookcore's own keys against the schema that checks the file when it is loaded."""
    from hookcore.config.schema import validate  # pydantic

    try:
        validate(Layer("arguments", changed_table({}, (*base, *within), new)))
    except ConfigError as error:
        raise UsageError(str(error).removeprefix("the arguments: ")) from error


def change_keys(asked: Callable[[], Asked], targets: list[Target], *, as_json: bool) -> None:
    """Write new values, and tell what was done and what keeps it from having an effect.

    Args:
        asked: what is to be changed; it is asked for while nobody else changes anything.
        targets: the tables that are spoken of, each once.
        as_json: print a JSON array instead of sentences.

    Raises:
        UsageError: a key or value is wrong, or an earlier layer has locked the plugin.
        ConfigError: the file cannot be read or written.
    """
    twins: dict[str, None] = {}

    def wanted() -> dict[str, Changes]:
        by_name: dict[str, Asked] = {}
        for one in asked():
            by_name.setdefault(one[0].name, []).append(one)
            if one[1].twin is not None:
                twins[one[1].twin] = None
        return {name: _changes(group) for name, group in by_name.items()}

    done = apply(wanted, user=targets[0].user)
    merged, _ = read_tables()
    by_name = {target.name: target for target in targets}
    if as_json:
        print_json([_described(by_name[one.name], one) for one in done])
    for one in done:
        _tell(by_name[one.name], one, merged, as_json=as_json)
    for twin in twins:
        note(f"hookcore's own option of that name is another key: hookctl set {twin}=...")
    if any(one.written for one in done) and not as_json:
        note(IN_FORCE)


def _changes(asked: Asked) -> Changed:
    target = asked[0][0]
    gone: Changed = {place.full: None for _, place, edit in asked if edit is None}
    edits = [(place, edit) for _, place, edit in asked if edit is not None]
    try:
        return gone | worked_out(target.before(), edits, target.base)
    except UsageError as error:
        raise UsageError(
            f"{target.name or 'the configuration'} stays as it is: {error.message}"
        ) from error


def _tell(target: Target, done: PluginChange, merged: Merged, *, as_json: bool) -> None:
    keys = [(tuple(path), value) for path, value in done.keys.items()]
    for path, value in keys:
        if not as_json:
            click.echo(printable(_sentence(target, done, path, value)))
        _warn(target, merged, path, value)
    if not target.name:
        return
    if target.schema is None and any(path[0] == "settings" for path, _ in keys):
        note(f"{target.name} ships no schema of its settings: 'hookctl doctor' checks them")
    rules = dict.fromkeys(path[1] for path, value in keys if path[0] == "rules" and value)
    for rule in rules:
        note(
            f"What {target.name} calls its rules only its code tells: 'hookctl info {target.name} "
            f"--load' lists them, and 'hookctl doctor' tells if {rule!r} is none"
        )
    if is_enabled(target.name, merged):
        note_missing(target.name, target.schema, table_at(target.of(merged), ("settings",)))
    else:
        note(f"{target.name} is not enabled: 'hookctl enable {target.name}'")


def _sentence(target: Target, done: PluginChange, path: KeyPath, value: Any) -> str:
    key = target.whole(path)
    if value is None:
        return f"Took {key} out of {done.file}"
    said = f"{key} = {target.shown(path, value)}"
    return f"Set {said} in {done.file}" if done.written else f"{done.file} says so already: {said}"


def _described(target: Target, done: PluginChange) -> dict[str, Any]:
    keys = [(tuple(path), value) for path, value in done.keys.items()]
    settings = {
        dotted(path[1:]): masked(path, value, target.schema, {})
        for path, value in keys
        if path[0] == "settings" and target.name
    }
    own = {
        dotted(path): value if value is None or isinstance(value, JSON) else str(value)
        for path, value in keys
        if path[0] != "settings" or not target.name
    }
    return {
        "name": target.name or None,
        "file": str(done.file),
        "changed": done.written,
        "set": settings,
        **({"options": own} if own else {}),
    }


def _warn(target: Target, merged: Merged, path: KeyPath, value: Any) -> None:
    now: Any = target.of(merged)
    for key in path:
        now = now.get(key) if isinstance(now, dict) else None
    short = dotted(path[1:]) if path[0] == "settings" else dotted(path)
    if now != value and value is not None:
        at = merged.origins.get((*target.base, *path), "a later layer")
        note(f"This has no effect: {at} sets {short} = {target.shown(path, now)}, and wins.")
    elif value is None and now is not None:
        at = merged.origins.get((*target.base, *path), "another layer")
        note(f"{short} is still {target.shown(path, now)}: {at} sets it.")


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
