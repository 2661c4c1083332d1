"""Engines of other people, from the entry-point group ``hookcore.engines``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookcore.naming.suggest import did_you_mean

from ..failure import UsageError
from ..further import entries, loaded
from ..masking import masked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookcore.config import Config

    from .work import RemoteEngine

__all__ = ["GROUP", "engine_at", "refuse_secrets"]

GROUP = "hookcore.engines"


def engine_at(url: str, tell: Callable[[str], None]) -> RemoteEngine:
    """Find the engine of a URL.

    Args:
        url: for example `dask://HOST:PORT`; the scheme, up to a `+`, is the entry point's name.
        tell: told of what goes on there and is no failure.

    Returns:
        The engine; nothing is connected yet.

    Raises:
        UsageError: there is no such engine, or it refuses the URL.
        BrokenError: it cannot be imported.
    """
    name, found, _ = url.partition("://")
    name = name.partition("+")[0]
    offered = entries(GROUP)
    known = {entry.name: entry for entry in offered}
    if not found or name not in known:
        raise UsageError(
            f"{url!r} names no engine{did_you_mean(name, known)}; known are "
            f"{', '.join(f'{one}://HOST:PORT' for one in sorted(known))}"
        )
    entry = known[name]
    if len({one.value for one in offered if one.name == name}) > 1:
        owners = ", ".join(
            sorted(one.dist.name for one in offered if one.name == name and one.dist)
        )
        raise UsageError(
            f"several distributions offer the engine {name}: uninstall one of {owners}"
        )
    make = loaded(entry, "the engine")
    engine: RemoteEngine = make(url, tell)
    return engine


def refuse_secrets(config: Config, engine: RemoteEngine) -> None:
    """Refuse to send secrets where others can read them.

    Args:
        config: the configuration that is to be sent.
        engine: where to.

    Raises:
        UsageError: a setting is a secret, and the way to the engine is not encrypted.
    """
    if engine.is_private:
        return
    for name, plugin in config.plugins.items():
        for path in _secrets(plugin.settings, ("settings",)) if plugin.enabled else ():
            raise UsageError(
                f"plugins.{name}.{'.'.join(path)} holds a secret, and the connection is not "
                "encrypted: write env:NAME or file:PATH instead, which is read where the work is "
                "done, or use TLS"
            )


def _secrets(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the settings that would not be shown."""
    for key, item in value.items():
        here = (*path, key)
        if masked(here, item, None, value) != item:
            yield here
