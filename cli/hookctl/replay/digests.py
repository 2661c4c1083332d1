"""The code that a replay judges with, by its digests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookcore.discovery import discover
from hookcore.trust.lockfile import LockEntry, entry_of
from hookcore.trust.own import own_entry

if TYPE_CHECKING:
    from .configuration import Configuration

__all__ = ["code_in_force", "entries_in_force"]

OWN = "hookcore"


def entries_in_force(configuration: Configuration) -> dict[str, LockEntry]:
    """Hash the code of the plugins that are enabled and installed.

    Args:
        configuration: which are enabled.

    Returns:
        An entry for each, by plugin.
    """
    catalog, plugins = discover(), configuration.config.plugins
    enabled = (name for name, plugin in plugins.items() if plugin.enabled and name in catalog)
    return {name: entry_of(catalog[name]) for name in enabled}


def code_in_force(configuration: Configuration) -> dict[str, str]:
    """Name all code that judges.

    Args:
        configuration: which plugins are enabled.

    Returns:
        For each plugin, and for hookcore itself, its distribution, version and digest.
    """
    found = {f"plugin {name}": entry for name, entry in entries_in_force(configuration).items()}
    found[OWN] = own_entry()
    return {
        name: f"{entry.distribution} {entry.version} {entry.digest}"
        for name, entry in found.items()
    }
