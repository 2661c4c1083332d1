"""The defaults of a tool's arguments, from the JSON Schema that the model was shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["with_defaults"]

_PLAIN: Final = ("string", "integer", "number", "boolean")
_OTHER: Final = frozenset(("const", "enum", "format"))
"""The schema keywords which tell that the tool gets something else than the JSON value."""


def with_defaults(arguments: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Return a call's arguments with the plain defaults of a tool's schema, for gates to judge.

    Args:
        arguments: the arguments.
        schema: the JSON Schema of the arguments; anything else has no defaults.
    """
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return arguments
    plain = {
        name: given["default"]
        for name, given in properties.items()
        if name not in arguments
        and isinstance(given, Mapping)
        and "default" in given
        and given.get("type") in _PLAIN
        and not _OTHER & given.keys()
    }
    return {**arguments, **plain} if plain else arguments
