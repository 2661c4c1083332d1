"""Changing one plugin's table in a file, with everything around it left as it was."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..disk.atomic import alone, replace_file
from ..errors import ConfigError
from .files import PYPROJECT, parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["changed_table", "set_plugin"]

_BOM = "\ufeff"


def set_plugin(file: Path, name: str, changes: Mapping[str, Any]) -> bool:
    """Set keys of ``[plugins.NAME]`` in a configuration file.

    Args:
        file: a ``hookcore.toml``, made when it is not there, or a ``pyproject.toml``, where the
            table is ``[tool.hookcore.plugins.NAME]``.
        name: the plugin.
        changes: the keys and their new values; None takes a key away.

    Returns:
        Whether the file was written; it is not when it says all that already.

    Raises:
        ConfigError: the file is not TOML, cannot be written, or has a form that cannot be edited
            without harm.
    """
    target = Path(os.path.realpath(file))  # a link stays a link
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone(target):
            before = target.read_bytes() if target.exists() else b""
            after = _edit(file, before, name, changes)
            if after == before:
                return False
            replace_file(target, after)
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be written: {error.strerror or error}: mend its permissions, or make "
            "the change where you may write",
            file=file,
        ) from error
    return True


def changed_table(
    table: Mapping[str, Any], name: str, changes: Mapping[str, Any]
) -> dict[str, Any]:
    """Apply changes to a table in memory.

    Args:
        table: hookcore's table, as a file holds it.
        name: the plugin.
        changes: as for :func:`set_plugin`.

    Returns:
        A changed copy.
    """
    result = copy.deepcopy(dict(table))
    plugin = result.setdefault("plugins", {}).setdefault(name, {})
    for key, value in changes.items():
        if value is None:
            plugin.pop(key, None)
        else:
            plugin[key] = value
    return result


def _edit(file: Path, before: bytes, name: str, changes: Mapping[str, Any]) -> bytes:
    old = parse(file, before)
    path = ("tool", "hookcore") if file.name == PYPROJECT else ()
    new = _replaced(old, path, changed_table(_at(old, path), name, changes))
    if new == old:
        return before
    text = before.decode("utf-8-sig")
    for edit in (_append, _apply):
        edited = edit(text, (*path, "plugins", name), changes)
        if edited is not None and _says(edited, new):
            break
    else:
        raise ConfigError(
            f"{file} writes [plugins.{name}] in a form that cannot be edited without changing "
            f"something else: set {', '.join(changes)} there by hand",
            file=file,
            key=f"plugins.{name}",
        )
    if not edited.endswith("\n"):
        edited += "\n"
    if "\n" in text and text.count("\n") == text.count("\r\n"):
        edited = edited.replace("\r\n", "\n").replace("\n", "\r\n")
    bom = _BOM if before.startswith(_BOM.encode()) else ""
    return (bom + edited).encode()


def _at(table: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any]:
    for key in path:
        table = table.get(key, {})
    return table


def _replaced(
    table: Mapping[str, Any], path: Sequence[str], value: dict[str, Any]
) -> dict[str, Any]:
    if not path:
        return value
    inner = _replaced(table.get(path[0], {}), path[1:], value)
    return {**table, path[0]: inner}


def _says(text: str, document: Mapping[str, Any]) -> bool:
    try:
        return parse(Path(), text.encode()) == document
    except ConfigError:
        return False


def _append(text: str, path: Sequence[str], changes: Mapping[str, Any]) -> str | None:
    """Add a table at the end, which no text before it can be harmed by."""
    import tomlkit

    header = tomlkit.key(list(path)).as_string()
    body = tomlkit.dumps({key: value for key, value in changes.items() if value is not None})
    if text and not text.endswith("\n"):
        text += "\n"
    return f"{text}\n[{header}]\n{body}" if text else f"[{header}]\n{body}"


def _apply(text: str, path: Sequence[str], changes: Mapping[str, Any]) -> str | None:
    """Edit the tables that are there; None where tomlkit cannot."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        table: Any = document
        for key in path:
            table = table[key] if key in table else table.setdefault(key, tomlkit.table())
        for key, value in changes.items():
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value
        return document.as_string()
    except (TOMLKitError, AttributeError, KeyError, TypeError, ValueError):
        return None
