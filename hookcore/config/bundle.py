"""The layer of a bundle: what the system's file asks for, and what a bundle may not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from .layer import Layer
from .model import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .model import KeyPath, Origin

__all__ = ["PLUGIN", "TABLE", "asks_for_bundle", "refuse_weaker", "with_plugin"]

TABLE = "bundle"
"""The table of the system's file."""
PLUGIN = "bundle"
"""The plugin that it makes required."""

# From loose to strict.
_ORDERED: dict[str, tuple[Any, ...]] = {
    "enabled": (False, True),
    "required": (False, True),
    "mode": ("monitor", "enforce"),
    "on_error": ("allow", "deny", "raise"),
    "track_mutations": (False, True),
}

# What holds where nobody says anything; a policy may let pass by itself, and no bundle may make it.
_UNSAID = {"required": False, "mode": "enforce", "on_error": "deny"}
_OPTION = len(("plugins", "NAME", "key"))
_RULE = len(("plugins", "NAME", "rules", "RULE", "key"))


def asks_for_bundle(layer: Layer) -> bool:
    """Tell whether a layer is the system's and has a table ``[bundle]``."""
    return layer.name == "system" and TABLE in layer.table


def with_plugin(layer: Layer) -> Layer:
    """Make ``[bundle]`` the settings of a plugin without which no manager starts.

    So what nobody has installed, or what says nonsense, is an error and no policy that is missing.

    Args:
        layer: the system's layer, with a table ``[bundle]`` of the right shape.

    Returns:
        The layer with the table ``[plugins.bundle]``.

    Raises:
        ConfigError: the file says the plugin's settings itself, or that it is not required.
    """
    plugins = dict(layer.table.get("plugins", {}))
    own = dict(plugins.get(PLUGIN, {}))
    for key in ("settings", "required"):
        if key in own:
            raise ConfigError(
                f"{layer.file}: {dotted(('plugins', PLUGIN, key))} cannot be set beside the table "
                f"[{TABLE}], which says it: remove it",
                file=layer.file,
                key=dotted(("plugins", PLUGIN, key)),
            )
    plugins[PLUGIN] = {**own, "required": True, "settings": layer.table[TABLE]}
    return Layer(layer.name, {**layer.table, "plugins": plugins}, layer.file)


def refuse_weaker(
    table: Mapping[str, Any], origins: Mapping[KeyPath, Origin], layer: Layer
) -> None:
    """Keep a bundle from changing what the system's file says, but to what is stricter.

    Args:
        table: what the system's file came to.
        origins: what it says itself.
        layer: the next layer.

    Raises:
        ConfigError: it is a bundle's, and does.
    """
    if layer.name != "bundle":
        return
    for path, said in _leaves(layer.table, ()):
        if path[0] not in {"hooks", "plugins", "telemetry"} or path == ("hooks", "verify"):
            continue
        by = _said_by(origins, path) or _enabled_by(table, origins, path)
        if by is None or not _is_weaker(path, _at(table, path), said):
            continue
        raise ConfigError(
            f"{layer.origin(path)}: {dotted(path)} cannot be changed by a bundle, because {by} "
            "sets it, and a bundle may only make that stricter: remove it from the bundle, or have "
            f"{by} changed",
            file=layer.file,
            key=dotted(path),
        )


def _leaves(table: Mapping[str, Any], path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _said_by(origins: Mapping[KeyPath, Origin], path: KeyPath) -> Origin | None:
    """Return who said the value at a path, one above it or one inside it."""
    for said, by in origins.items():
        length = min(len(said), len(path))
        if said[:length] == path[:length]:
            return by
    return None


def _enabled_by(
    table: Mapping[str, Any], origins: Mapping[KeyPath, Origin], path: KeyPath
) -> Origin | None:
    """Return who enabled the plugin whose options a path is one of, which might undo that."""
    if path[0] != "plugins" or not _is_option(path) or path[-1] == "priority":
        return None
    enabled = (*path[:2], "enabled")
    return origins.get(enabled) if _at(table, enabled) is True else None


def _at(table: Mapping[str, Any], path: KeyPath) -> Any:
    inside: Any = table
    for key in path:
        inside = inside.get(key) if isinstance(inside, dict) else None
    return inside


def _is_weaker(path: KeyPath, before: Any, after: Any) -> bool:
    if isinstance(before, dict) and after == {}:
        return False
    is_option = path[0] != "plugins" or _is_option(path)
    order = _ORDERED.get(path[-1]) if is_option else None
    if before is None and is_option:
        before = _UNSAID.get(path[-1])
    if order is not None and before in order and after in order:
        return order.index(after) < order.index(before)
    return before != after or isinstance(before, bool) != isinstance(after, bool)


def _is_option(path: KeyPath) -> bool:
    """Tell whether a key of a plugin's table is hookcore's own, and none of its settings."""
    return len(path) == _OPTION or (len(path) == _RULE and path[2] == "rules")
