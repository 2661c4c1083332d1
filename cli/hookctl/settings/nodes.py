"""Reading a JSON Schema as pydantic writes it: references, alternatives, what a value is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookcore import Told, told_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Node = Mapping[str, Any]

__all__ = [
    "alternatives",
    "choices_of",
    "is_hidden",
    "is_secret",
    "items_of",
    "kind_of",
    "properties_of",
    "resolved",
]

_KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "table",
    "null": "nothing",
}
_DEEPEST = 20
_MOST = 100
"""Parts of a schema that are looked at for one value."""
_INNERMOST = 3
"""Lists in lists that are put into words."""


def resolved(node: Any, root: Node) -> Node:
    """Follow references and merge what stands beside them.

    Args:
        node: a schema, or part of one.
        root: the whole schema, which holds the definitions.

    Returns:
        A schema without ``$ref`` and without an ``allOf`` of one; empty when it is no schema.
    """
    found: dict[str, Any] = dict(node) if isinstance(node, dict) else {}
    for _ in range(_DEEPEST):
        name = str(found.pop("$ref", "")).removeprefix("#/$defs/")
        inner = _definitions(root).get(name) if name else None
        if not isinstance(inner, dict):
            parts = found.get("allOf")
            inner = parts[0] if isinstance(parts, list) and len(parts) == 1 else None
            if not isinstance(inner, dict):
                return found
            found.pop("allOf")
        found = {**inner, **found}
    return found


def _definitions(root: Node) -> Mapping[str, Any]:
    definitions = root.get("$defs")
    return definitions if isinstance(definitions, dict) else {}


def alternatives(node: Any, root: Node) -> Iterator[Node]:
    """Yield the schemas of which a value has to fit one, but for that of null.

    Args:
        node: a schema, or part of one.
        root: the whole schema.

    Yields:
        Schemas without references. Of one that leads back to itself, as anybody's may, not more
        than can be read.
    """
    waiting = [node]
    for _ in range(_MOST):
        if not waiting:
            return
        whole = resolved(waiting.pop(0), root)
        several = whole.get("anyOf") or whole.get("oneOf")
        if isinstance(several, list):
            waiting = [*several, *waiting]
        elif whole.get("type") != "null":
            yield whole


def properties_of(node: Any, root: Node) -> Mapping[str, Any]:
    """Return the keys that a table may have, with a schema each."""
    found: dict[str, Any] = {}
    for one in alternatives(node, root):
        properties = one.get("properties")
        found.update(properties if isinstance(properties, dict) else {})
    return found


def choices_of(node: Any, root: Node, depth: int = 0) -> list[Any]:
    """Return the only values that are right, for the items of a list too, if they are counted."""
    found: list[Any] = []
    items = items_of(node, root)
    if items is not None:
        return choices_of(items, root, depth + 1) if depth < _INNERMOST else []
    for one in alternatives(node, root):
        values = one.get("enum", [one["const"]] if "const" in one else None)
        if not isinstance(values, list):
            return []
        found += values
    return found


def items_of(node: Any, root: Node) -> Node | None:
    """Return the schema of the items where a value may be a list; None where it may not."""
    lists = [one for one in alternatives(node, root) if one.get("type") == "array"]
    return resolved(lists[0].get("items"), root) if lists else None


def is_secret(node: Any, root: Node) -> bool:
    """Tell whether a value, or an item of the list that it is, must not be shown."""
    items = items_of(node, root)
    return any(
        one.get("writeOnly") is True or one.get("format") == "password"
        for one in (resolved(node, root), *alternatives(node, root), items or {})
    )


def is_hidden(path: Sequence[str], node: Any, root: Node) -> bool:
    """Tell whether a setting must not be shown, by what its schema says or by its name."""
    return is_secret(node, root) or any(told_by(key) is not Told.NOTHING for key in path)


def kind_of(node: Any, root: Node, depth: int = 0) -> str:
    """Say in words what a value is, such as ``list of text``."""
    words = dict.fromkeys(_kind(one, root, depth) for one in alternatives(node, root))
    return " or ".join([*words][:_DEEPEST]) or "anything"


def _kind(one: Node, root: Node, depth: int) -> str:
    name = one.get("type")
    if isinstance(name, list):
        kinds = [_KINDS.get(str(part), str(part)) for part in name if part != "null"]
        return " or ".join(kinds)
    if name == "array" and isinstance(one.get("items"), dict) and depth < _INNERMOST:
        inner = kind_of(one["items"], root, depth + 1)
        return f"list of {inner}s" if inner == "table" else f"list of {inner}"
    if name is None:
        values = one.get("enum", [one["const"]] if "const" in one else ())
        return " or ".join(dict.fromkeys(_kind_of_value(value) for value in values)) or "anything"
    return _KINDS.get(str(name), str(name))


def _kind_of_value(value: object) -> str:
    if isinstance(value, bool):
        return _KINDS["boolean"]
    return "text" if isinstance(value, str) else "number"
