"""The JSON Schema of a plugin's settings: in its model, and in the file that its package ships."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookcore.discovery import PluginSource

__all__ = ["SCHEMA_FILE", "model_schema", "package_folder", "schema_text", "shipped_schema"]

SCHEMA_FILE = "settings.schema.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LARGEST = 1024 * 1024


def shipped_schema(source: PluginSource | None) -> dict[str, Any] | None:
    """Read the JSON Schema of a plugin's settings from its package, importing nothing.

    Args:
        source: the plugin; None when it is not installed.

    Returns:
        The schema; None when the package ships none.
    """
    if source is None:
        return None
    try:
        file = next(f for folder in _folders(source) if (f := folder / SCHEMA_FILE).is_file())
        with file.open(encoding="utf-8") as stream:
            schema = json.loads(stream.read(_LARGEST))
    except (ImportError, OSError, RecursionError, StopIteration, ValueError):
        return None
    return schema if isinstance(schema, dict) else None


def package_folder(source: PluginSource) -> Path | None:
    """Return the folder of the innermost package that a plugin's entry point names, if any.

    Args:
        source: the plugin.
    """
    try:
        return next((folder for folder in _folders(source) if folder.is_dir()), None)
    except (ImportError, ValueError):
        return None


def _folders(source: PluginSource) -> Iterator[Path]:
    """Yield where the schema may lie, from the entry point's module up to its first package."""
    top, *parts = source.value.partition(":")[0].split(".")
    spec = importlib.util.find_spec(top)
    for root in spec.submodule_search_locations or () if spec is not None else ():
        for count in range(len(parts), -1, -1):
            yield Path(root, *parts[:count])


def model_schema(plugin: object) -> dict[str, Any] | None:
    """Return the JSON Schema of what a plugin's ``Settings`` accepts; None when it has none.

    Args:
        plugin: what its entry point names, or an instance.

    Raises:
        Exception: a type of the plugin's own may have no schema.
    """
    from pydantic import BaseModel

    model = getattr(plugin, "Settings", None)
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return None
    return {"$schema": _DIALECT, **model.model_json_schema()}


def schema_text(schema: dict[str, Any]) -> str:
    """Return a schema as a package ships it.

    Raises:
        TypeError: it is no JSON.
    """
    return json.dumps(schema, indent=2) + "\n"
