"""Comparing settings with the JSON Schema that a package ships, as far as pydantic writes schemas.

What only code can check, the plugin's own model checks when the plugin is loaded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from hookcore.config.model import dotted
from hookcore.config.references import is_reference
from hookcore.naming.suggest import did_you_mean

from .nodes import alternatives, is_hidden, kind_of, properties_of
from .toml import toml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .nodes import Node

__all__ = ["Problem", "problems"]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_DEEPEST = 50
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that the plugin would refuse."""

    path: tuple[str, ...]
    words: str

    def __str__(self) -> str:
        return f"{self.key} {self.words}" if self.path else self.words

    @property
    def key(self) -> str:
        """The path as people write it, such as ``rules[0].effect``."""
        return ".".join(part if part.endswith("]") else dotted([part]) for part in self.path)


def problems(value: Any, node: Any, root: Node, path: tuple[str, ...] = ()) -> list[Problem]:
    """Compare a value with a schema.

    Args:
        value: the value, as TOML gives it.
        node: the schema for it.
        root: the whole schema, which holds the definitions.
        path: where the value stands.

    Returns:
        All that is wrong with it, in words that quote no secret.
    """
    options = list(alternatives(node, root))
    # What a reference stands for is known where the plugin is loaded.
    if not options or len(path) > _DEEPEST or is_reference(value):
        return []
    found = [list(_of_one(value, one, root, path)) for one in options]
    if not all(found):
        return []
    if len(options) == 1:
        return found[0]
    # The alternative that comes nearest says what is wrong, unless none is of the right kind.
    fitting = [said for one, said in zip(options, found, strict=True) if _is_of_kind(value, one)]
    return fitting[0] if len(fitting) == 1 else [_wrong_kind(value, node, root, path)]


def _of_one(value: Any, one: Node, root: Node, path: tuple[str, ...]) -> Iterator[Problem]:
    values = one.get("enum", [one["const"]] if "const" in one else None)
    if isinstance(values, list):
        if not any(_same(value, right) for right in values):
            yield _not_one_of(value, values, one, root, path)
        return
    if not _is_of_kind(value, one):
        yield _wrong_kind(value, one, root, path)
    elif isinstance(value, dict):
        yield from _of_table(value, one, root, path)
    elif isinstance(value, list):
        yield from _of_list(value, one, root, path)
    elif isinstance(value, str):
        yield from _of_text(value, one, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _of_number(value, one, path)


def _is_of_kind(value: Any, one: Node) -> bool:
    name = one.get("type")
    names = name if isinstance(name, list) else [name]
    if not all(isinstance(part, str) and part in {*_TYPES, "null"} for part in names):
        return True  # nothing said, or in words that are not ours
    for part in names:
        if isinstance(value, _TYPES.get(str(part), ())):
            # Python counts true and false as numbers, and nobody who writes TOML does.
            if isinstance(value, bool) and part != "boolean":
                continue
            return True
        if part == "integer" and isinstance(value, float) and value.is_integer():
            return True
        if part == "string" and not isinstance(value, bool | int | float | list | dict):
            return True  # a date or a time, which plugins read from either
    return False


def _same(value: Any, right: Any) -> bool:
    return bool(value == right) and isinstance(value, bool) == isinstance(right, bool)


def _wrong_kind(value: Any, node: Any, root: Node, path: tuple[str, ...]) -> Problem:
    kind = kind_of(node, root)
    article = "" if kind.startswith(("text", "true", "anything")) else "a "
    given = toml(value)
    shown = f", not {given}" if len(given) <= _LONGEST and not is_hidden(path, node, root) else ""
    return Problem(path, f"must be {article}{kind}{shown}")


def _not_one_of(
    value: Any, values: list[Any], one: Node, root: Node, path: tuple[str, ...]
) -> Problem:
    words = ", ".join(map(toml, values))
    shown = f", not {toml(value)}" if not is_hidden(path, one, root) else ""
    right = [v for v in values if isinstance(v, str)]
    near = did_you_mean(value, right) if shown and isinstance(value, str) else ""
    return Problem(path, f"must be {'one of ' if len(values) > 1 else ''}{words}{shown}{near}")


def _of_table(
    value: dict[str, Any], one: Node, root: Node, path: tuple[str, ...]
) -> Iterator[Problem]:
    known = properties_of(one, root)
    others = one.get("additionalProperties", True)
    for key, inner in value.items():
        if key in known:
            yield from problems(inner, known[key], root, (*path, key))
        elif others is False:
            options = f"; known here: {', '.join(known)}" if known else "; it has none"
            near = did_you_mean(key, known) or options
            yield Problem((*path, key), f"is no setting that the plugin knows{near}")
        elif isinstance(others, dict):
            yield from problems(inner, others, root, (*path, key))
    required = one.get("required")
    for key in required if isinstance(required, list) else ():
        if key not in value:
            yield Problem((*path, key), "is missing")


def _of_list(value: list[Any], one: Node, root: Node, path: tuple[str, ...]) -> Iterator[Problem]:
    least, most = _bound(one, "minItems", 0), _bound(one, "maxItems", len(value))
    if not least <= len(value) <= most:
        bound = f"at least {least}" if len(value) < least else f"at most {most}"
        yield Problem(path, f"must have {bound} item{'' if bound.endswith(' 1') else 's'}")
    if one.get("uniqueItems") and any(item in value[:at] for at, item in enumerate(value)):
        yield Problem(path, "must not have an item twice")
    prefix = one.get("prefixItems")
    first = prefix if isinstance(prefix, list) else []
    for at, item in enumerate(value):
        node = first[at] if at < len(first) else one.get("items", {})
        place = (*path[:-1], f"{path[-1] if path else ''}[{at}]")
        yield from problems(item, node, root, place)


def _of_text(value: str, one: Node, path: tuple[str, ...]) -> Iterator[Problem]:
    least, most = _bound(one, "minLength", 0), _bound(one, "maxLength", len(value))
    if len(value) < least:
        yield Problem(path, "must not be empty" if least == 1 else f"needs {least} characters")
    if len(value) > most:
        yield Problem(path, f"must have at most {most} characters")
    pattern = one.get("pattern")
    if isinstance(pattern, str):
        try:
            fits = re.search(pattern, value) is not None
        except re.error:
            return  # another dialect's; the plugin will say
        if not fits:
            yield Problem(path, f"must match {pattern}")


def _of_number(value: float, one: Node, path: tuple[str, ...]) -> Iterator[Problem]:
    for name, word, wrong in (
        ("minimum", "at least", value < _bound(one, "minimum", -inf)),
        ("exclusiveMinimum", "more than", value <= _bound(one, "exclusiveMinimum", -inf)),
        ("maximum", "at most", value > _bound(one, "maximum", inf)),
        ("exclusiveMaximum", "less than", value >= _bound(one, "exclusiveMaximum", inf)),
    ):
        if wrong and name in one:
            yield Problem(path, f"must be {word} {one[name]}, not {value}")


def _bound(one: Node, name: str, otherwise: float) -> float:
    """Return a bound, where it is a number: the schema is anybody's."""
    found = one.get(name)
    return found if isinstance(found, int | float) else otherwise
