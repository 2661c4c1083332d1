"""A plugin's settings as the configuration has them, for commands that need no plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..config import read_config
from ..config.model import dotted
from ..config.references import resolved_settings
from ..errors import ConfigError
from .settings import validated

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

    from ..config import Config

__all__ = ["plugin_settings"]

_M = TypeVar("_M", bound="BaseModel")


def plugin_settings(name: str, model: type[_M], start: str | Path | None = None) -> _M:
    """Return a plugin's settings as a manager would give them to it, without loading it.

    Args:
        name: the plugin's name.
        model: the pydantic model of its settings.
        start: the folder whose project configuration counts; the working folder when None.

    Returns:
        The settings; those of an empty table for a plugin that is not configured.

    Raises:
        ConfigError: a configuration file is wrong, or the settings do not fit the model.
    """
    config = read_config(start)
    options = config.plugins.get(name)
    try:
        return validated(model, {} if options is None else resolved_settings(config, name))
    except ConfigError as error:
        where = _origin(config, name, error.key or "settings")
        raise ConfigError(f"plugin {name} ({where}): {error}", key=error.key) from error


def _origin(config: Config, name: str, key: str) -> str:
    path = ("plugins", name, *key.split("."))
    while len(path) > len(("plugins", name)):
        origin = config.origin(path)
        if origin.layer != "default":
            return f"{dotted(path)}, {origin}"
        path = path[:-1]
    return dotted(path)
