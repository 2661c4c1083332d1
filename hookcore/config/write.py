"""Changing a table in a file, with everything around it left as it was."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..disk.atomic import alone, replace_file
from ..errors import ConfigError
from .files import PYPROJECT, parse
from .model import KeyPath, dotted

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Changes", "changed_table", "set_keys", "set_plugin"]

Changes = Mapping[str, Any] | Mapping[KeyPath, Any] | Mapping[str | KeyPath, Any]
"""New values by key, or by path for what lies deeper; None takes a key away."""

_BOM = "\ufeff"


def set_plugin(file: Path, name: str, changes: Changes) -> bool:
    """Set keys of ``[plugins.NAME]`` in a configuration file.

    Args:
        file: a ``hookcore.toml``, made when it is not there, or a ``pyproject.toml``, where the
            table is ``[tool.hookcore.plugins.NAME]``.
        name: the plugin.
        changes: the keys and their new values, such as ``"enabled"`` and ``("settings", "deny")``;
            None takes a key away.

    Returns:
        Whether the file was written; it is not when it says all that already.

    Raises:
        ConfigError: the file is not TOML, cannot be written, or has a form that cannot be edited
            without harm.
    """
    return set_keys(file, ("plugins", name), changes)


def set_keys(file: Path, base: KeyPath, changes: Changes) -> bool:
    """Set keys of any table in a configuration file, as :func:`set_plugin` does.

    Args:
        file: the file.
        base: the table; empty for the whole configuration.
        changes: the keys and their new values.

    Returns:
        Whether the file was written.

    Raises:
        ConfigError: as for :func:`set_plugin`.
    """
    target = Path(os.path.realpath(file))  # a link stays a link
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone(target):
            before = target.read_bytes() if target.exists() else b""
            after = _edit(file, before, base, changes)
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


def changed_table(table: Mapping[str, Any], base: KeyPath, changes: Changes) -> dict[str, Any]:
    """Apply changes to a table in memory.

    Args:
        table: hookcore's table, as a file holds it.
        base: the table in it that is changed.
        changes: as for :func:`set_plugin`.

    Returns:
        A changed copy.
    """
    result = copy.deepcopy(dict(table))
    inside = result
    for key in base:
        inside = inside.setdefault(key, {})
    for path, value in _by_path(changes):
        _put(inside, path, copy.deepcopy(value))
    return result


def _by_path(changes: Changes) -> list[tuple[KeyPath, Any]]:
    return [((key,) if isinstance(key, str) else key, value) for key, value in changes.items()]


def _put(table: dict[str, Any], path: KeyPath, value: Any) -> None:
    for key in path[:-1]:
        if value is None and not isinstance(table.get(key), dict):
            return
        inner = table.get(key)
        if not isinstance(inner, dict):
            inner = table[key] = {}
        table = inner
    if value is None:
        table.pop(path[-1], None)
    else:
        table[path[-1]] = value


def _edit(file: Path, before: bytes, base: KeyPath, changes: Changes) -> bytes:
    old = parse(file, before)
    path = ("tool", "hookcore") if file.name == PYPROJECT else ()
    new = _replaced(old, path, changed_table(_at(old, path), base, changes))
    if new == old:
        return before
    less = any(
        value is None and _is_table(old, (*path, *base, *keys)) for keys, value in _by_path(changes)
    )
    text = before.decode("utf-8-sig")
    for edit in (_append, _apply):
        edited = edit(text, (*path, *base), changes)
        if edited is not None and _says(edited, new, less=less):
            break
    else:
        keys = [dotted(path) for path, _ in _by_path(changes)]
        where = f"[{dotted(base)}]" if base else "this"
        raise ConfigError(
            f"{file} writes {where} in a form that cannot be edited without changing something "
            f"else: set {', '.join(keys)} there by hand",
            file=file,
            key=dotted(base) if base else keys[0],
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


def _says(text: str, document: Mapping[str, Any], *, less: bool) -> bool:
    """Tell whether a text says a document; with ``less``, empty tables may be missing in it."""
    try:
        said = parse(Path(), text.encode())
    except ConfigError:
        return False
    return said == document or (less and _full(said) == _full(document))


def _is_table(table: Any, path: KeyPath) -> bool:
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return isinstance(table, dict)


def _full(table: Mapping[str, Any]) -> dict[str, Any]:
    full = {key: _full(at) if isinstance(at, dict) else at for key, at in table.items()}
    return {key: inner for key, inner in full.items() if inner != {}}


def _append(text: str, path: Sequence[str], changes: Changes) -> str | None:
    """Add tables at the end, which no text before them can be harmed by."""
    import tomlkit

    tables: dict[KeyPath, dict[str, Any]] = {}
    for keys, value in _by_path(changes):
        if value is not None:
            tables.setdefault((*path, *keys[:-1]), {})[keys[-1]] = value
    if text and not text.endswith("\n"):
        text += "\n"
    for place, content in sorted(tables.items()):
        header = tomlkit.key(list(place)).as_string()
        text += f"{chr(10) if text else ''}[{header}]\n{tomlkit.dumps(content)}"
    return text


def _apply(text: str, path: Sequence[str], changes: Changes) -> str | None:
    """Edit the tables that are there; None where tomlkit cannot."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        for keys, value in _by_path(changes):
            table: Any = document
            for key in (*path, *keys[:-1]):
                if value is None and key not in table:
                    break
                table = table[key] if key in table else table.setdefault(key, tomlkit.table())
            else:
                _assign(table, keys[-1], value)
        return document.as_string()
    except (TOMLKitError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None


def _assign(table: Any, key: str, value: Any) -> None:
    if value is None:
        table.pop(key, None)
    elif not _edit_list(table.get(key), value):
        table[key] = value


def _edit_list(items: Any, value: Any) -> bool:
    """Add and remove items of a list one by one, so that the comments between them stay."""
    import tomlkit.items

    if not (isinstance(items, tomlkit.items.Array | tomlkit.items.AoT) and isinstance(value, list)):
        return False
    kept = [item for item in items.unwrap() if item in value]
    if kept != value[: len(kept)]:
        return False
    for at in range(len(items) - 1, -1, -1):
        if items[at] not in value:
            del items[at]
    for item in value[len(kept) :]:
        items.append(tomlkit.item(item) if isinstance(item, dict) else item)
    return True
