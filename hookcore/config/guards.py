"""The rules of layers: what each may say, and what a later one may only make stricter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from ..naming.suggest import did_you_mean
from .model import LayerName, dotted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .layer import Layer
    from .model import KeyPath, Origin, Trust

__all__ = ["check_place", "project_trust", "refuse_looser"]

# From loose to strict.
_ORDERED: dict[KeyPath, tuple[Any, ...]] = {
    ("hooks", "verify"): ("off", "warn", "enforce"),
    ("trust", "project"): ("always", "trusted", "never"),
    ("log", "enabled"): (False, True),
}
_FIXED: tuple[KeyPath, ...] = (("log", "max_megabytes"), ("log", "max_days"))
_OWN: tuple[LayerName, ...] = ("system", "bundle", "user")


def check_place(layer: Layer) -> None:
    """Check that a layer says nothing that is not its business.

    Args:
        layer: a layer whose tables have the right shape.

    Raises:
        ConfigError: it decides whether projects are trusted, how long the user's log is, or
            whose bundles are taken, and that is not its to say.
    """
    table = layer.table
    if layer.name != "system" and "bundle" in table:
        raise ConfigError(
            f"{layer.origin(('bundle',))}: {layer.key(('bundle',))} counts only in the system's "
            "file, which decides whose bundles are taken: remove it there",
            file=layer.file,
            key=layer.key(("bundle",)),
        )
    if layer.name == "bundle" and table.get("record"):
        # What is said on a machine is for its owner to keep, and nobody else says where.
        raise _misplaced(layer, ("record", next(iter(table["record"]))))
    if layer.name in _OWN:
        return
    if table.get("trust"):
        raise _misplaced(layer, ("trust", next(iter(table["trust"]))))
    if layer.name == "project":
        # A repository must not have what its users say written where it likes.
        if table.get("record"):
            raise _misplaced(layer, ("record", next(iter(table["record"]))))
        for path in _FIXED:
            if path[1] in table.get(path[0], {}):
                raise _misplaced(layer, path)


def project_trust(layers: Sequence[Layer]) -> Trust:
    """Return whether a project's configuration counts.

    Args:
        layers: the system's, the bundle's and the user's, as far as they are there, in this order.

    Raises:
        ConfigError: the value is not one of the three, or the user loosens what the system says.
    """
    order = _ORDERED["trust", "project"]
    found: Trust = "always"
    said: Layer | None = None
    for layer in layers:
        value = layer.table.get("trust", {}).get("project", found)
        key = layer.key(("trust", "project"))
        if value not in order:
            words = ", ".join(f'"{choice}"' for choice in order)
            raise ConfigError(
                f"{layer.origin(('trust', 'project'))}: {key} must be one of {words}, not "
                f"{value!r}{did_you_mean(str(value), order)}",
                file=layer.file,
                key=key,
            )
        if said is not None and order.index(value) < order.index(found):
            raise _looser(layer, ("trust", "project"), said.origin(("trust", "project")), found)
        if "project" in layer.table.get("trust", {}):
            found, said = value, layer
    return found


def refuse_looser(
    table: Mapping[str, Any], origins: Mapping[KeyPath, Origin], layer: Layer
) -> None:
    """Keep a layer from loosening what the system or a bundle says, a project what the user says.

    Args:
        table: what the earlier layers came to.
        origins: which of them said it.
        layer: the next layer.

    Raises:
        ConfigError: it does.
    """
    for path in (*_ORDERED, *_FIXED):
        by = origins.get(path)
        said = layer.table.get(path[0], {})
        if by is None or path[1] not in said or not _binds(by, layer):
            continue
        before, after = table[path[0]][path[1]], said[path[1]]
        if _is_looser(path, before, after):
            raise _looser(layer, path, by, before)


def _binds(by: Origin, layer: Layer) -> bool:
    return by.layer in {"system", "bundle"} or (by.layer == "user" and layer.name == "project")


def _is_looser(path: KeyPath, before: object, after: object) -> bool:
    order = _ORDERED.get(path)
    if order is None:
        return before != after
    # What is no right value at all is the schema's to refuse.
    return before in order and after in order and order.index(after) < order.index(before)


def _looser(layer: Layer, path: KeyPath, by: Origin, before: object) -> ConfigError:
    key = layer.key(path)
    shown = str(before).lower() if isinstance(before, bool) else repr(before)
    return ConfigError(
        f"{layer.origin(path)}: {key} cannot be changed there, because {by} sets {dotted(path)} = "
        f"{shown} and nobody later may loosen it: remove {key}, or have {by} changed",
        file=layer.file,
        key=key,
    )


def _misplaced(layer: Layer, path: KeyPath) -> ConfigError:
    key = layer.key(path)
    return ConfigError(
        f"{layer.origin(path)}: {key} counts only in the system's and the user's own file: remove "
        "it there ('hookctl config path' names those files)",
        file=layer.file,
        key=key,
    )
