"""The manager of a replay: what is enabled, and what the command line adds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookcore.config import read_config
from hookcore.discovery import discover

from ..targets import find_plugins, is_usable

if TYPE_CHECKING:
    from hookcore import HookManager

    from .worker import Order

__all__ = ["manager_with"]


def manager_with(order: Order) -> HookManager:
    """Load the plugins that judge.

    Args:
        order: which are switched on besides the enabled ones, and whether all only watch.

    Returns:
        The manager.

    Raises:
        ConfigError, PluginLoadError: as `HookManager.load` does.
    """
    from hookcore import HookManager

    return HookManager.load(config=_overrides(order.plugins, monitor=order.monitor))


def _overrides(plugins: tuple[str, ...], *, monitor: bool) -> dict[str, Any]:
    catalog = discover()
    named = find_plugins(plugins, catalog, ())
    for name in named:
        is_usable(catalog[name])
    tables: dict[str, dict[str, Any]] = {name: {"enabled": True} for name in named}
    if monitor:
        config = read_config(overrides={"plugins": tables})
        for name, plugin in config.plugins.items():
            if plugin.enabled:
                tables.setdefault(name, {})["mode"] = "monitor"
    return {"plugins": tables} if tables else {}
