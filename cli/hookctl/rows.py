"""The rows that ``list`` and ``info`` show of a plugin without importing it."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from hookcore.config.days import day_of, today

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookcore.config.merge import Merged
    from hookcore.discovery import Catalog, PluginSource

__all__ = ["Row", "enabled_names", "is_enabled", "rows"]

Row = dict[str, Any]


def rows(catalog: Catalog, merged: Merged) -> list[Row]:
    """Describe every plugin that is installed or configured.

    Args:
        catalog: the installed plugins.
        merged: the effective configuration.

    Returns:
        One row for each, sorted by name, with ``name, state, version, distribution, points,
        priority, mode, on_error``; what neither metadata nor configuration tells is None.
    """
    plugins = merged.plugins()
    return [
        _row(name, catalog.get(name), plugins.get(name, {}), on=is_enabled(name, merged))
        for name in sorted({*catalog, *plugins})
    ]


def is_enabled(name: str, merged: Merged) -> bool:
    """Tell whether a manager would load a plugin.

    Args:
        name: the plugin.
        merged: the effective configuration.

    Returns:
        Whether both the plugin and the master switch are on.
    """
    master: bool = merged.table.get("hooks", {}).get("enabled", True)
    said = merged.plugins().get(name, {})
    return master and bool(said.get("enabled", False)) and not _has_expired(said)


def _has_expired(said: Mapping[str, Any]) -> bool:
    day = day_of(said.get("expires"))
    return isinstance(day, date) and day < today()


def enabled_names(catalog: Catalog, merged: Merged) -> list[str]:
    """List the plugins that a manager would import.

    Args:
        catalog: the installed plugins.
        merged: the effective configuration.

    Returns:
        The names of the enabled plugins that are installed once, sorted.
    """
    return [row["name"] for row in rows(catalog, merged) if row["state"] == "enabled"]


def _row(name: str, source: PluginSource | None, said: Mapping[str, Any], *, on: bool) -> Row:
    return {
        "name": name,
        "state": _state(source, on=on),
        "version": source.version if source is not None else None,
        "distribution": source.distribution if source is not None else None,
        "points": None,
        "priority": said.get("priority"),
        "mode": said.get("mode", "enforce"),
        "on_error": said.get("on_error"),
    }


def _state(source: PluginSource | None, *, on: bool) -> str:
    if source is not None and source.conflict is not None:
        return "broken"
    if not on:
        return "disabled"
    return "enabled" if source is not None else "missing"
