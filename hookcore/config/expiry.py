"""Telling of plugins and rules whose last day is near or over."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from . import days
from .model import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from .travel import Config

__all__ = ["told_expiry"]

_SOON = timedelta(days=14)


def told_expiry(config: Config, name: str) -> Iterator[str]:
    """Yield what is to be told of a plugin, and its rules, that have expired or do within 14 days.

    Args:
        config: the configuration.
        name: the plugin.
    """
    options = config.plugins[name]
    path = ("plugins", name)
    if options.expires is not None:
        said = (
            f"plugin {name}: {config.origin((*path, 'expires'))} says expires = {options.expires}"
        )
        if options.has_expired():
            yield f"{said}, so it is not loaded any more"
            return
        if options.enabled and _is_soon(options.expires):
            yield f"{said}, and it is not loaded after that day"
    if not options.enabled:
        return
    for rule, about in options.rules.items():
        if about.expires is None or not _is_soon(about.expires):
            continue
        key = ("rules", rule, "expires")
        by = config.origin((*path, *key))
        said = f"plugin {name}: {by} says {dotted(key)} = {about.expires}"
        over = about.expires < days.today()
        yield said + (
            ", so the rule stops nothing any more"
            if over
            else ", and the rule stops nothing after that day"
        )


def _is_soon(day: date) -> bool:
    """Tell whether a day is over, or comes within two weeks."""
    return day - days.today() <= _SOON
