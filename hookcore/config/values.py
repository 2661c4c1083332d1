"""Values that people write outside of a TOML file."""

from __future__ import annotations

from typing import Any

from ..later import tomllib

__all__ = ["parse_value"]


def parse_value(text: str) -> Any:
    """Read a value as TOML; what is not TOML is the string itself.

    Args:
        text: as it stands in an environment variable, or behind the ``=`` of a command's argument.
    """
    try:
        document = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return document["value"] if document.keys() == {"value"} else text
