"""The JSON Schema of a plugin's settings: in its model, and in the file that its package ships."""

from __future__ import annotations

import contextlib
import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookcore.discovery import PluginSource

__all__ = [
    "DIALECT",
    "SCHEMA_FILE",
    "model_schema",
    "package_folder",
    "plugin_schema",
    "points_in",
    "schema_text",
    "shipped_schema",
]

SCHEMA_FILE = "settings.schema.json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ABOUT_PLUGIN = "x-hookcore"
"""The key of a shipped schema for what is no setting: the points that the plugin hooks."""
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
    return {"$schema": DIALECT, **model.model_json_schema()}


def plugin_schema(plugin: object) -> dict[str, Any] | None:
    """Return what a plugin's package ships: the schema of its settings, and the points it hooks.

    Args:
        plugin: what its entry point names.

    Returns:
        The schema; None for what has neither settings nor hooks.

    Raises:
        Exception: a type of the plugin's own may have no schema.
    """
    schema = model_schema(plugin)
    points = _hooked_points(plugin)
    if schema is None and not points:
        return None
    empty = {"type": "object", "properties": {}, "additionalProperties": False}
    return {**(schema or {"$schema": DIALECT, **empty}), _ABOUT_PLUGIN: {"points": points}}


def _hooked_points(plugin: object) -> list[str]:
    """Name the points of the hooks in the class, and of those that the default settings make."""
    import pluggy

    from hookcore import HookManager
    from hookcore.hooks.candidates import candidates_of
    from hookcore_specs import PROJECT_NAME

    manager, marks = HookManager(), pluggy.PluginManager(PROJECT_NAME)
    found = set()
    with contextlib.suppress(Exception):  # what is wrong with it, loading it tells
        found |= {one.point for one in candidates_of(marks, plugin, "it", manager.points)}
    with contextlib.suppress(Exception):  # some settings may be required
        manager.register(plugin)
        found |= {point for point in manager.points if manager.has_hooks(point)}
    manager.close()
    return [point for point in manager.points if point in found]


def points_in(schema: Mapping[str, Any] | None) -> list[str] | None:
    """Return the points that a shipped schema says the plugin hooks; None where it does not say.

    Args:
        schema: the schema, if there is one.
    """
    about = (schema or {}).get(_ABOUT_PLUGIN)
    points = about.get("points") if isinstance(about, dict) else None
    return points if isinstance(points, list) and all(isinstance(p, str) for p in points) else None


def schema_text(schema: dict[str, Any]) -> str:
    """Return a schema as a package ships it.

    Raises:
        TypeError: it is no JSON.
    """
    return json.dumps(schema, indent=2) + "\n"
