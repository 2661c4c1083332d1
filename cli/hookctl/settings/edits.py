"""``key=value``, ``key+=value`` and ``key-=value``, and what they come to."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hookcore.config.model import dotted
from hookcore.config.values import parse_value
from hookcore.naming.suggest import did_you_mean

from ..failure import UsageError
from .checking import problems
from .nodes import alternatives, is_hidden, items_of, kind_of, properties_of, resolved
from .toml import toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hookcore.config.model import KeyPath

    from .nodes import Node

__all__ = ["Edit", "changed", "edit_of", "edited", "node_at", "path_of"]

_BARE = r"[A-Za-z0-9_]+(?:-+[A-Za-z0-9_]+)*"
_QUOTED = "\"[^\"]*\"|'[^']*'"
_PATH = re.compile(rf"\s*(?:{_BARE}|{_QUOTED})(?:\.(?:{_BARE}|{_QUOTED}))*\s*")
_PART = re.compile(f"{_BARE}|{_QUOTED}")
_FORMS = "write KEY=VALUE, or KEY+=VALUE and KEY-=VALUE for what is in a list"


@dataclass(frozen=True, slots=True)
class Edit:
    """One change that somebody asked for."""

    path: KeyPath
    sign: str
    """``=``, ``+=`` or ``-=``."""
    text: str


def path_of(text: str) -> KeyPath:
    """Read a key, which may be a dotted path with quoted parts.

    Args:
        text: such as ``deny`` or ``headers."X-Team"``.

    Raises:
        UsageError: it is none.
    """
    if _PATH.fullmatch(text) is None:
        raise UsageError(f"{text!r} is no key: put quotes around what is no bare word of TOML")
    return tuple(part.strip("\"'") if part[0] in "\"'" else part for part in _PART.findall(text))


def edit_of(text: str) -> Edit:
    """Read what a command was given.

    Args:
        text: the argument.

    Raises:
        UsageError: it has none of the three forms; what may be a secret in it is not quoted.
    """
    key = _PATH.match(text)
    sign = next((s for s in ("+=", "-=", "=") if key and text.startswith(s, key.end())), None)
    if key is None or sign is None:
        raise UsageError(f"{text.partition('=')[0]!r} does not say what to change: {_FORMS}")
    return Edit(path_of(key[0]), sign, text[key.end() + len(sign) :])


def changed(settings: Node, edits: Iterable[Edit], schema: Node | None) -> dict[KeyPath, Any]:
    """Work out what edits come to.

    Args:
        settings: what is configured before.
        edits: the changes, each on top of the ones before.
        schema: the JSON Schema of the settings, if the package ships one.

    Returns:
        The new value for each path that is touched.

    Raises:
        UsageError: a key is unknown or a value wrong.
    """
    result: dict[KeyPath, Any] = {}
    for edit in edits:
        before = result.get(edit.path, _value_at(settings, edit.path))
        result[edit.path] = _edited(edit, before, schema)
    return result


def edited(settings: Node, changes: Mapping[KeyPath, Any]) -> dict[str, Any]:
    """Return settings with new values put into a copy of them.

    Args:
        settings: the settings.
        changes: from :func:`changed`.
    """
    found = copy.deepcopy(dict(settings))
    for path, value in changes.items():
        table = found
        for key in path[:-1]:
            inner = table.get(key)
            table[key] = table = inner if isinstance(inner, dict) else {}
        table[path[-1]] = value
    return found


def node_at(schema: Node | None, path: KeyPath) -> Node | None:
    """Return what a schema says of a setting.

    Args:
        schema: the whole schema; None when there is none.
        path: the setting.

    Returns:
        Its schema, which is empty where anything goes; None without a schema.

    Raises:
        UsageError: there is no such setting.
    """
    if schema is None:
        return None
    node: Any = schema
    for depth, key in enumerate(path):
        known = properties_of(node, schema)
        others = [
            one.get("additionalProperties", True)
            for one in alternatives(node, schema)
            if one.get("type", "object") == "object"
        ]
        if key in known:
            node = known[key]
            continue
        inner = next((other for other in others if isinstance(other, dict)), None)
        if inner is None and not any(other is True for other in others):
            raise UsageError(f"there is no setting {dotted(path[: depth + 1])}{_near(key, known)}")
        node = inner or {}
    return resolved(node, schema)


def _near(key: str, known: Iterable[str]) -> str:
    return did_you_mean(key, known) or (f"; known here: {', '.join(known)}" if known else "")


def _value_at(settings: Any, path: KeyPath) -> Any:
    for key in path:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings


def _edited(edit: Edit, before: Any, schema: Node | None) -> Any:
    node = node_at(schema, edit.path)
    if edit.sign == "=":
        return _fitting(edit, parse_value(edit.text), node, schema)
    if before is None:
        if node is None:  # what is written would take the place of a list that nobody saw
            raise UsageError(
                f"{dotted(edit.path)} is not configured, and no schema tells what the plugin's own "
                f"list holds: write {dotted(edit.path)}=[...]"
            )
        before = node.get("default")
    if not isinstance(before, list | None):
        raise UsageError(f"{dotted(edit.path)} is no list, so that {edit.sign} means nothing")
    items = _items(edit, node, schema)
    if edit.sign == "+=":
        added = [*(before or ()), *(item for item in items if item not in (before or ()))]
        return _checked(edit, added, node, schema)
    for item in items:
        if item not in (before or ()):
            known = [one for one in before or () if isinstance(one, str)]
            hidden = is_hidden(edit.path, node, schema or {})
            said = "" if hidden else f" {toml(item)}{did_you_mean(str(item), known)}"
            raise UsageError(f"{dotted(edit.path)} does not hold that{said}")
    return _checked(edit, [item for item in before or () if item not in items], node, schema)


def _items(edit: Edit, node: Node | None, schema: Node | None) -> list[Any]:
    """Read what is added or taken away: one item, or a list of them."""
    value = parse_value(edit.text)
    if node is None:
        return value if isinstance(value, list) else [value]
    inner = items_of(node, schema or {})
    if inner is None and node:
        raise UsageError(f"{dotted(edit.path)} is no list, so that {edit.sign} means nothing")
    if isinstance(value, list) and (not inner or problems(value, inner, schema or {})):
        return value
    return [_read_as(value, edit.text, inner, schema)]


def _fitting(edit: Edit, value: Any, node: Node | None, schema: Node | None) -> Any:
    return _checked(edit, _read_as(value, edit.text, node, schema), node, schema)


def _read_as(value: Any, text: str, node: Any, schema: Node | None) -> Any:
    """Take a value as the text that it was written as, where only that is right: ``name=123``."""
    if node is None or isinstance(value, str | list | dict):
        return value
    if not problems(value, node, schema or {}):
        return value
    return value if problems(text, node, schema or {}) else text


def _checked(edit: Edit, value: Any, node: Node | None, schema: Node | None) -> Any:
    if node is not None:
        wrong = problems(value, node, schema or {}, edit.path)
        if wrong:
            raise UsageError("; ".join(map(str, wrong)) + _how(edit, node, schema or {}))
    return value


def _how(edit: Edit, node: Node, root: Node) -> str:
    """Say how a list is written to somebody who wrote none."""
    if edit.sign == "=" and kind_of(node, root) == "list of text":
        key = dotted(edit.path)
        return f': write \'{key}=["a", "b"]\', or {key}+=a to add to what is there'
    return ""
