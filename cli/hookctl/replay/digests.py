"""The code that a replay judges with, by its digests."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hookcore import HookcoreError
from hookcore.discovery import discover, editable_project
from hookcore.trust.lockfile import LockEntry, entry_of
from hookcore.trust.own import own_entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookcore.config import Config

__all__ = ["OtherCodeError", "checked_entries", "code_in_force"]


class OtherCodeError(HookcoreError):
    """The code here is not the code that was meant, so nothing may be judged with it."""


def code_in_force(config: Config) -> dict[str, str]:
    """Name all code that judges.

    Args:
        config: which plugins are enabled.

    Returns:
        For each enabled plugin, for hookcore itself and for Python, the version and the digest.
    """
    return _named(_entries(config))


def checked_entries(config: Config, code: Mapping[str, str]) -> dict[str, LockEntry]:
    """Make sure that the code here is the code that was meant, before any of it is imported.

    Args:
        config: which plugins are enabled.
        code: what `code_in_force` said where the work was ordered.

    Returns:
        The lock entries of the enabled plugins, for the configuration that they are loaded by.

    Raises:
        OtherCodeError: something is missing here, or is another version or other code.
    """
    entries = _entries(config)
    here = _named(entries)
    wrong = [
        f"{name} is {here.get(name, 'not installed')} here and {code.get(name, 'unknown')} where "
        "the replay was ordered"
        for name in sorted({*here, *code})
        if here.get(name) != code.get(name)
    ]
    if wrong:
        raise OtherCodeError(
            f"other code would judge: {'; '.join(wrong)}. Install the same wheels in both places"
        )
    return entries


def _entries(config: Config) -> dict[str, LockEntry]:
    catalog = discover()
    enabled = (name for name, plugin in config.plugins.items() if plugin.enabled)
    return {name: entry_of(catalog[name]) for name in enabled if name in catalog}


def _named(entries: Mapping[str, LockEntry]) -> dict[str, str]:
    catalog, own = discover(), own_entry()
    named = {"Python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    named["hookcore"] = f"{own.version} ({own.digest})"
    for name, entry in entries.items():
        editable = editable_project(catalog[name].location) is not None
        how = "editable, " if editable else ""
        named[f"plugin {name}"] = f"{entry.distribution} {entry.version} ({how}{entry.digest})"
    return named
