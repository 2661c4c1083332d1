"""The plugins that the names on a command line mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookcore.naming.suggest import did_you_mean

from .failure import BrokenError, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from hookcore.discovery import Catalog, PluginSource

__all__ = ["find_plugin", "find_plugins", "is_usable"]


def find_plugins(names: Iterable[str], catalog: Catalog, configured: Collection[str]) -> list[str]:
    """Find the plugins that the user named.

    Args:
        names: names of plugins, or of distributions for all of their plugins.
        catalog: the installed plugins.
        configured: the plugins that the configuration speaks of, installed or not.

    Returns:
        The names of plugins, each once, in the order given.

    Raises:
        UsageError: nobody has heard of a name.
    """
    found: dict[str, None] = {}
    for name in names:
        if name in catalog or name in configured:
            found[name] = None
            continue
        plugins = [source.name for source in catalog.of_distribution(name)]
        if not plugins:
            raise UsageError(_unknown(name, catalog, configured))
        found.update(dict.fromkeys(plugins))
    return list(found)


def find_plugin(name: str, catalog: Catalog, configured: Collection[str]) -> str:
    """Find the one plugin that the user named.

    Args:
        name: a plugin, or a distribution that offers a single one.
        catalog: as for :func:`find_plugins`.
        configured: as for :func:`find_plugins`.

    Returns:
        The plugin's name.

    Raises:
        UsageError: nobody has heard of the name, or it stands for several plugins.
    """
    first, *more = find_plugins([name], catalog, configured)
    if more:
        offered = ", ".join([first, *more])
        raise UsageError(f"{name} offers several plugins: {offered}: name one of them")
    return first


def is_usable(source: PluginSource) -> None:
    """Check that a plugin is the only one of its name.

    Args:
        source: the plugin.

    Raises:
        BrokenError: it is not, and the message says what to uninstall.
    """
    if source.conflict is not None:
        raise BrokenError(f"{source.name} cannot be used: {source.conflict}")


def _unknown(name: str, catalog: Catalog, configured: Iterable[str]) -> str:
    known = {*catalog, *configured, *(source.distribution for source in catalog.values())}
    suggestion = did_you_mean(name, sorted(known)) or (
        "; 'hookctl list' shows what is, and 'pip install' brings in more"
    )
    unreadable = "".join(f"; {problem}" for problem in catalog.problems)
    return f"no plugin or distribution {name} is installed{suggestion}{unreadable}"
