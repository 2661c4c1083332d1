"""Bringing a changed configuration into force: all of it together, or nothing of it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..config.model import dotted
from ..errors import ConfigError
from .load import load_into, operator_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from ..config import Config, PluginConfig
    from ..discovery import Catalog
    from ..dispatch.plans import Plans
    from ..hooks.record import Record
    from ..hooks.registry import Registry

__all__ = ["Reloaded", "Target", "reload_into"]


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The difference that a reload made: names of plugins, sorted."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Those that go on with other settings or options."""

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def __str__(self) -> str:
        told = {"added": self.added, "removed": self.removed, "changed": self.changed}
        parts = [f"{what} {', '.join(names)}" for what, names in told.items() if names]
        return "; ".join(parts) or "nothing changed"


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a manager that a reload changes.

    Args:
        plans: the plans in force.
        registry: the registered plugins.
        check: raises when a new plugin cannot be served.
    """

    plans: Plans
    registry: Registry
    check: Callable[[Record], object]


def reload_into(target: Target, before: Config, after: Config, catalog: Catalog) -> Reloaded:
    """Make a manager's configured plugins those of another configuration.

    Dispatches that run go on with the plugins from before. A plugin whose table is as it was stays
    as it is, with its state; one of which only options have changed stays the same object.

    Args:
        target: the manager's parts.
        before: the configuration in force.
        after: the new one.
        catalog: the installed plugins.

    Returns:
        What was changed.

    Raises:
        ConfigError: the new configuration changes what the one in force requires, or the settings
            of a plugin that cannot be made anew.
        PluginLoadError: enabled plugins cannot be loaded; nothing was changed.
    """
    _refuse_to_loosen(before, after)
    old = _configured(before, target.registry)
    new = {name: options for name, options in after.plugins.items() if options.enabled}
    both = set(old) & set(new) if after.enabled else set()
    kept = {name for name in both if new[name] == before.plugins[name]}
    same = {name for name in both - kept if new[name].settings == before.plugins[name].settings}
    _refuse_shared_objects(both - kept - same, catalog)
    made = {name: _again(old[name], new[name]) for name in same}

    def take(plugin: Any, name: str, **about: Any) -> str:
        made[name] = {"plugin": plugin, **about}
        return name

    load_into(take, after, catalog, but=kept | same)
    gone = [record for name, record in sorted(old.items()) if name not in kept]
    with target.plans.lock, target.plans.at_once():
        _swap(target, gone, made, after)
    return Reloaded(
        added=tuple(sorted(set(made) - set(old))),
        removed=tuple(sorted(set(old) - kept - set(made))),
        changed=tuple(sorted(set(made) & set(old))),
    )


def _refuse_to_loosen(before: Config, after: Config) -> None:
    bundle = _bundle_of(before)
    if bundle is not None and _bundle_of(after) is None:
        raise ConfigError(
            f"the bundle {bundle} is gone: 'hookctl bundle status' tells more, or start the "
            "program again",
            file=bundle,
        )
    for name in before.required:
        by = before.origin(("plugins", name, "required"))
        if by.layer == "bundle":
            continue  # the next bundle is signed like this one, and no other layer can change it
        there = after.plugins.get(name)
        if after.enabled and there == before.plugins[name]:
            continue
        if there is not None and replace(there, enabled=True) == before.plugins[name]:
            continue  # it has expired meanwhile, as its table says
        raise ConfigError(
            f"plugin {name} is required by {by}, so its table is locked as long as the program "
            "runs: put it back, or start the program again",
            file=by.file,
            key=dotted(("plugins", name)),
        )


def _bundle_of(config: Config) -> Path | None:
    return next((f.path for f in config.files if f.layer == "bundle" and f.exists), None)


def _configured(config: Config, registry: Registry) -> dict[str, Record]:
    """Return the registered plugins that a configuration brought, and nobody took out since."""
    return {
        name: record
        for name, record in registry.records.items()
        if record.distribution is not None and name in config.plugins
    }


def _refuse_shared_objects(names: Iterable[str], catalog: Catalog) -> None:
    """Refuse new settings for a plugin of which there is one object: it is in force."""
    for name in sorted(names):
        source = catalog.get(name)
        if source is not None and not inspect.isclass(source.load()):
            raise ConfigError(
                f"the settings of plugin {name} ({source.distribution} {source.version}) cannot "
                "change while the program runs, since its entry point names an object and no "
                "class: start the program again",
                key=dotted(("plugins", name, "settings")),
            )


def _again(record: Record, options: PluginConfig) -> dict[str, Any]:
    return {
        "plugin": record.plugin,
        "distribution": record.distribution,
        "version": record.version,
        "operator": operator_options(options),
    }


def _swap(
    target: Target,
    gone: Iterable[Record],
    made: Mapping[str, Mapping[str, Any]],
    config: Config,
) -> None:
    registry = target.registry
    state = registry.state()
    places: dict[str, float] = {}
    points: set[str] = set()
    try:
        for record in gone:
            if registry.records.get(record.name) is record:  # else somebody took it out meanwhile
                registry.remove(record)
            places[record.name] = record.sequence
            points |= record.points
        for name, given in sorted(made.items()):
            about = dict(given)
            place = places.get(name, _place(name, config, registry))
            record = registry.add(about.pop("plugin"), name, sequence=place, **about)
            points |= record.points
            target.check(record)
    except BaseException:
        registry.restore(state)
        raise
    finally:
        target.plans.rebuild(points)


def _place(name: str, config: Config, registry: Registry) -> float:
    """Return a place among the configured plugins, which stand in the order of their names."""
    everywhere = sorted(record.sequence for record in registry.records.values())
    configured = _configured(config, registry).values()
    earlier = [record.sequence for record in configured if record.name < name]
    later = [record.sequence for record in configured if record.name > name]
    if earlier:
        low = max(earlier)
        high = min((place for place in everywhere if place > low), default=low + 1)
    else:
        high = min(later, default=min(everywhere, default=1.0))
        low = max((place for place in everywhere if place < high), default=high - 1)
    return (low + high) / 2
