"""The settings of a plugin, one by one, with all that its JSON Schema says of each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from hookcore.config.model import dotted

from .nodes import alternatives, choices_of, is_secret, kind_of, properties_of, resolved
from .toml import toml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .nodes import Node

__all__ = ["Setting", "missing_settings", "settings_of"]

_BOUNDS = (
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
    ("minItems", "items at least:"),
    ("maxItems", "items at most:"),
    ("minLength", "characters at least:"),
    ("maxLength", "characters at most:"),
    ("pattern", "matches"),
)
_DEEPEST = 5
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting; those inside tables and lists of tables follow the one that holds them."""

    key: str
    """As TOML has it; ``rules[].effect`` is in each table of a list, ``tools.*.kind`` in each table
    of a table."""
    type: str
    """In words."""
    required: bool
    default: Any
    """None where it is left to the plugin, and where the setting is required."""
    description: str | None
    choices: list[Any]
    bounds: str | None
    secret: bool
    example: str | None
    """The words behind ``hookctl set NAME``; None where it is set with the list that it is in."""


def settings_of(schema: Node) -> list[Setting]:
    """Describe the settings.

    Args:
        schema: the JSON Schema that a plugin's package ships.

    Returns:
        The settings in the order of the schema.
    """
    return list(islice(_inside(schema, schema, ()), _MOST))


def missing_settings(schema: Node, settings: Node) -> list[Setting]:
    """Find the settings without which the plugin cannot be loaded.

    Args:
        schema: the JSON Schema that its package ships.
        settings: what is configured.
    """
    return [one for one in _here(schema, schema, ()) if one.required and one.key not in settings]


def _here(node: Node, root: Node, path: tuple[str, ...]) -> Iterator[Setting]:
    required = resolved(node, root).get("required")
    names = required if isinstance(required, list) else []
    for name, inner in properties_of(node, root).items():
        yield _setting((*path, name), inner, root, required=name in names)


def _inside(
    node: Any, root: Node, path: tuple[str, ...], above: frozenset[int] = frozenset()
) -> Iterator[Setting]:
    """Yield the settings of a table, each with those in it; a table in itself is told once."""
    inner = properties_of(node, root)
    tables = {id(one.get("properties")) for one in alternatives(node, root) if "properties" in one}
    if tables & above or len(path) > _DEEPEST:
        return
    above |= tables
    for setting, (name, below) in zip(_here(node, root, path), inner.items(), strict=True):
        yield setting
        yield from _inside(below, root, (*path, name), above)
        for one in alternatives(below, root):
            if isinstance(one.get("items"), dict):
                yield from _inside(one["items"], root, (*path, f"{name}[]"), above)
            others = one.get("additionalProperties")
            if isinstance(others, dict):
                yield from _inside(others, root, (*path, name, "*"), above)


def _setting(path: tuple[str, ...], node: Any, root: Node, *, required: bool) -> Setting:
    whole = resolved(node, root)
    secret = is_secret(node, root)
    in_list = any(part == "*" or part.endswith("[]") for part in path)
    key = ".".join(part if part == "*" or part.endswith("[]") else dotted([part]) for part in path)
    description = whole.get("description")
    return Setting(
        key=key,
        type=kind_of(node, root),
        required=required,
        default=whole.get("default"),
        description=description if isinstance(description, str) else None,
        choices=choices_of(node, root),
        bounds=_bounds(node, root),
        secret=secret,
        example=None if in_list else _example(key, whole, node, root, secret=secret),
    )


def _bounds(node: Any, root: Node) -> str | None:
    words = [
        f"{word} {one[name]}"
        for one in alternatives(node, root)
        for name, word in _BOUNDS
        if name in one
    ]
    return ", ".join(words) or None


def _example(key: str, whole: Node, node: Any, root: Node, *, secret: bool) -> str | None:
    if secret:
        return key  # its value is asked for, and then stands in no shell's history
    given = whole.get("examples")
    if isinstance(given, list) and given:
        match given[0]:
            case [str(item)]:
                return f"{key}+={item}"
            case value:
                return f"{key}={toml(value)}"
    return next((made for one in alternatives(node, root) if (made := _made(key, one, root))), None)


def _made(key: str, one: Node, root: Node) -> str | None:
    kind, default = one.get("type"), one.get("default")
    values = one.get("enum", [one["const"]] if "const" in one else None)
    if isinstance(values, list) and values:
        return f"{key}={next((v for v in values if v != default), values[0])}"
    if kind == "array":
        values = choices_of(one, root)
        if kind_of(one, root) == "list of text":
            return f"{key}+={values[0] if values else 'VALUE'}"
    elif kind == "boolean":
        return f"{key}={'false' if default is True else 'true'}"
    elif kind in {"integer", "number"}:
        start = default if isinstance(default, int | float) else one.get("minimum", 1)
        return f"{key}={start}"
    elif kind == "string":
        return f"{key}=VALUE"
    return None
