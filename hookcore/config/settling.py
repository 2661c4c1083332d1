"""Making a configuration of merged tables."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from .days import day_of
from .model import ConfigFile, LogConfig, PluginConfig, RecordConfig, RuleConfig, Settled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..trust.lockfile import LockEntry
    from .merge import Merged

__all__ = ["settled"]

_C = TypeVar("_C", bound=Settled)


def settled(
    kind: type[_C],
    merged: Merged,
    files: tuple[ConfigFile, ...],
    lock: Mapping[str, LockEntry] | None = None,
) -> _C:
    """Make a configuration of tables that have been validated.

    Args:
        kind: the class of the configuration.
        merged: the effective tables, and who said what.
        files: the file of each layer.
        lock: the entries that vouch for plugins' code instead of any lock file.

    Returns:
        The configuration.
    """
    hooks = merged.table.get("hooks", {})
    plugins = {name: _plugin(table) for name, table in sorted(merged.plugins().items())}
    return kind(
        enabled=hooks.get("enabled", True),
        verify=hooks.get("verify", "warn"),
        plugins=MappingProxyType(plugins),
        telemetry_track_mutations=merged.table.get("telemetry", {}).get("track_mutations", False),
        trust_project=merged.table.get("trust", {}).get("project", "always"),
        log=LogConfig(**merged.table.get("log", {})),
        record=RecordConfig(**merged.table.get("record", {})),
        files=files,
        origins=MappingProxyType(dict(merged.origins)),
        enablers=MappingProxyType(dict(merged.enablers)),
        lock=lock,
    )


def _plugin(table: Mapping[str, Any]) -> PluginConfig:
    values = dict(table)
    for key in ("points", "tools", "agents"):
        if key in values:
            values[key] = tuple(values[key])
    for key in ("timeout", "rollout"):
        if key in values:
            values[key] = float(values[key])
    values["expires"] = day_of(values.get("expires"))
    values["rules"] = {name: _rule(said) for name, said in values.get("rules", {}).items()}
    plugin = PluginConfig(**values)
    return replace(plugin, enabled=False) if plugin.has_expired() else plugin


def _rule(table: Mapping[str, Any]) -> RuleConfig:
    rollout = table.get("rollout")
    return RuleConfig(
        mode=table.get("mode", "enforce"),
        rollout=None if rollout is None else float(rollout),
        expires=day_of(table.get("expires")),
    )
