"""A check for policies that count in one process each, where others share a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..schemas import shipped_schema
from ..settings.described import settings_of
from .finding import warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookcore.config import Config
    from hookcore.discovery import Catalog

    from .finding import Diagnosis

__all__ = ["check_stores"]


def check_stores(
    config: Config, catalog: Catalog, environ: Mapping[str, str]
) -> Iterator[Diagnosis]:
    """Check for a store in memory beside one in Redis: many processes seem to be meant.

    Args:
        config: the configuration.
        catalog: the installed plugins; a setting that is not set has the default of their schemas.
        environ: the environment, where the address of Redis stands.
    """
    said = {
        name: _settings(config, catalog, name)
        for name, options in config.plugins.items()
        if options.enabled
    }
    shared = [name for name, settings in said.items() if settings.get("store") == "redis"]
    for name, settings in said.items():
        if settings.get("store") != "memory":
            continue
        variable = settings.get("url_env")
        if shared:
            why = f"{', '.join(shared)} keeps its state in Redis"
        elif isinstance(variable, str) and environ.get(variable):
            why = f"{variable} names a Redis"
        else:
            continue
        yield warning(
            "memory-store",
            name,
            f"it counts in the memory of each process, although {why}: several processes or "
            "machines then count each for itself",
            f"hookctl set {name} store=redis, or store=sqlite where there is one machine",
        )


def _settings(config: Config, catalog: Catalog, name: str) -> dict[str, Any]:
    source = catalog.get(name)
    schema = None if source is None else shipped_schema(source)
    found = {} if schema is None else {each.key: each.default for each in settings_of(schema)}
    return {**found, **config.plugins[name].settings}
