"""The few checks that keep raw tables usable where pydantic would be too slow to start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ConfigError

if TYPE_CHECKING:
    from .layer import Layer
    from .model import KeyPath

__all__ = ["check_shape"]


def check_shape(layer: Layer) -> None:
    """Check that tables are tables and switches are switches.

    Args:
        layer: a layer as it was read.

    Raises:
        ConfigError: something has a shape that the merge could not work with.
    """
    for name in ("bundle", "hooks", "log", "plugins", "record", "telemetry", "trust"):
        _table(layer, layer.table.get(name, {}), (name,))
    _switch(layer, layer.table.get("hooks", {}), ("hooks",), "enabled")
    _switch(layer, layer.table.get("log", {}), ("log",), "enabled")
    for name, plugin in layer.table.get("plugins", {}).items():
        path = ("plugins", name)
        _table(layer, plugin, path)
        _switch(layer, plugin, path, "enabled")
        _switch(layer, plugin, path, "required")


def _table(layer: Layer, value: object, path: KeyPath) -> None:
    if not isinstance(value, dict):
        raise _wrong(layer, path, value, "a table")


def _switch(layer: Layer, table: dict[str, Any], path: KeyPath, key: str) -> None:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise _wrong(layer, (*path, key), value, "true or false")


def _wrong(layer: Layer, path: KeyPath, value: object, right: str) -> ConfigError:
    key = layer.key(path)
    return ConfigError(
        f"{layer.origin(path)}: {key} must be {right}, not {value!r}", file=layer.file, key=key
    )
