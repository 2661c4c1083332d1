"""Laying the layers over each other, the later over the earlier, except where one is locked."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from .bundle import refuse_weaker
from .guards import refuse_looser
from .model import KeyPath, Origin, dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .layer import Layer

__all__ = ["Merged", "merge"]

_ABSENT: Any = object()
_DEFAULTS: dict[str, Any] = {"enabled": False, "required": False, "mode": "enforce"}
_STRICTER = ("off", "warn", "enforce")


class Merged:
    """The effective table, where each value was said, and who locked and enabled which plugin."""

    __slots__ = ("enablers", "locks", "origins", "table")

    def __init__(self) -> None:
        self.table: dict[str, Any] = {}
        self.origins: dict[KeyPath, Origin] = {}
        self.locks: dict[str, Origin] = {}
        # The first layer that switched a plugin on: only what lies beside it vouches for the code.
        self.enablers: dict[str, Origin] = {}

    def plugins(self) -> dict[str, dict[str, Any]]:
        """Return the effective tables of the plugins, by name."""
        plugins: dict[str, dict[str, Any]] = self.table.get("plugins", {})
        return plugins


def merge(layers: Iterable[Layer]) -> Merged:
    """Merge layers whose tables have the right types.

    Args:
        layers: the layers, the weakest first.

    Returns:
        The effective table. A plugin that is required is enabled, and denies on failure unless
        its table asks for ``raise``.

    Raises:
        ConfigError: a layer touches what an earlier one has locked, or contradicts itself.
    """
    merged = Merged()
    for layer in layers:
        _respect_locks(merged, layer)
        refuse_looser(merged.table, merged.origins, layer)
        refuse_weaker(merged.table, merged.origins, layer)
        _overlay(merged, layer, merged.table, layer.table, ())
        _lock(merged, layer)
        _note_enablers(merged, layer)
    return merged


def _overlay(
    merged: Merged, layer: Layer, under: dict[str, Any], over: Mapping[str, Any], path: KeyPath
) -> None:
    for key, value in over.items():
        here = (*path, key)
        if isinstance(value, dict):
            if not isinstance(under.get(key), dict):
                under[key] = {}
                merged.origins.pop(here, None)
            _overlay(merged, layer, under[key], value, here)
            continue
        merged.origins.pop(here, None)
        if isinstance(under.get(key), dict):
            for stale in [old for old in merged.origins if old[: len(here)] == here]:
                del merged.origins[stale]
        under[key] = copy.deepcopy(value)
        merged.origins[here] = layer.origin(here)


def _lock(merged: Merged, layer: Layer) -> None:
    for name, said in layer.table.get("plugins", {}).items():
        if said.get("required") is not True or name in merged.locks:
            continue
        path: KeyPath = ("plugins", name)
        origin = layer.origin((*path, "required"))
        _refuse_contradiction(layer, path, said, "enabled", bad=False)
        _refuse_contradiction(layer, path, said, "on_error", bad="allow")
        table = merged.plugins()[name]
        implied: dict[str, Any] = {"enabled": True}
        if table.get("on_error") in {None, "allow"}:
            implied["on_error"] = "deny"
        for key, value in implied.items():
            here: KeyPath = (*path, key)
            if table.get(key) != value:
                table[key] = value
                merged.origins[here] = origin
        merged.locks[name] = origin


def _note_enablers(merged: Merged, layer: Layer) -> None:
    for name, said in layer.table.get("plugins", {}).items():
        for key in ("enabled", "required"):
            if said.get(key) is True:
                merged.enablers.setdefault(name, layer.origin(("plugins", name, key)))


def _refuse_contradiction(
    layer: Layer, path: KeyPath, said: Mapping[str, Any], key: str, *, bad: object
) -> None:
    if said.get(key, _ABSENT) == bad:
        full = layer.key((*path, key))
        raise ConfigError(
            f"{layer.origin((*path, key))}: {full} = {_toml(bad)} contradicts "
            f"{layer.key((*path, 'required'))} = true: a required plugin is always on and denies "
            "on failure, so remove one of the two",
            file=layer.file,
            key=full,
        )


def _respect_locks(merged: Merged, layer: Layer) -> None:
    for name, said in layer.table.get("plugins", {}).items():
        if name in merged.locks:
            locked = merged.plugins()[name]
            for path in _differences({**_DEFAULTS, **locked}, said, ("plugins", name)):
                raise _locked(merged.locks[name], ("plugins", name), layer, path)
    if merged.locks:
        name, origin = next(iter(sorted(merged.locks.items())))
        hooks = layer.table.get("hooks", {})
        if hooks.get("enabled") is False:
            raise _locked(origin, ("plugins", name), layer, ("hooks", "enabled"))
        if _is_laxer(hooks.get("verify"), merged.table.get("hooks", {}).get("verify", "warn")):
            by = merged.origins.get(("hooks", "verify"))
            what = ("hooks", "verify") if by is not None else ("plugins", name)
            raise _locked(by or origin, what, layer, ("hooks", "verify"))


def _is_laxer(verify: object, than: object) -> bool:
    return verify in _STRICTER and than in _STRICTER[_STRICTER.index(str(verify)) + 1 :]


def _differences(locked: object, said: object, path: KeyPath) -> Iterator[KeyPath]:
    if isinstance(locked, dict) and isinstance(said, dict):
        for key, value in said.items():
            inside = {} if key == "settings" and key not in locked else locked.get(key, _ABSENT)
            yield from _differences(inside, value, (*path, key))
    elif locked != said or isinstance(locked, bool) != isinstance(said, bool):
        yield path


def _locked(by: Origin, what: KeyPath, layer: Layer, path: KeyPath) -> ConfigError:
    key = layer.key(path)
    reason = "sets" if what[0] == "hooks" else "requires"
    return ConfigError(
        f"{layer.origin(path)}: {key} cannot be changed there, because {by} {reason} "
        f"{dotted(what)} and locks it: remove {key}, or have {by} changed",
        file=layer.file,
        key=key,
    )


def _toml(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else f'"{value}"'
