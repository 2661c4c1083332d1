"""Telling of plugins whose last day is near or over."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from . import days

if TYPE_CHECKING:
    from .travel import Config

__all__ = ["told_expiry"]

_SOON = timedelta(days=14)


def told_expiry(config: Config, name: str) -> str | None:
    """Return what is to be told of a plugin that has expired, or does within 14 days; else None.

    Args:
        config: the configuration.
        name: the plugin.
    """
    options = config.plugins[name]
    if options.expires is None:
        return None
    by = config.origin(("plugins", name, "expires"))
    said = f"plugin {name}: {by} says expires = {options.expires}"
    if options.has_expired():
        return f"{said}, so it is not loaded any more"
    if options.enabled and options.expires - days.today() <= _SOON:
        return f"{said}, and it is not loaded after that day"
    return None
