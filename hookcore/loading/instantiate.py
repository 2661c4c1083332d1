"""Make what a caller of ``register`` means: a plugin as it is, or one to be made with settings."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from ..errors import ConfigError, RegistrationError

__all__ = ["instantiate"]


def instantiate(plugin: Any, settings: Any = None) -> Any:
    """Return the plugin, made or configured with its settings where it wants them.

    Args:
        plugin: a class, an object, a module or a function.
        settings: a mapping that the plugin's ``Settings`` model validates, an instance of that
            model, or None for none.

    Raises:
        RegistrationError: there are settings but no ``Settings``, or they do not fit it, or the
            class cannot be instantiated.
    """
    if settings is None and not inspect.isclass(plugin):
        return plugin
    if settings is not None and not isinstance(settings, Mapping):
        return _with_model(plugin, settings)
    from .settings import prepare

    try:
        return prepare(plugin, settings or {})
    except (ConfigError, TypeError) as error:
        name = getattr(plugin, "__qualname__", None) or type(plugin).__qualname__
        raise RegistrationError(f"{name} cannot be registered: {error}", plugin) from error


def _with_model(plugin: Any, settings: Any) -> Any:
    model = getattr(plugin, "Settings", None)
    if not (inspect.isclass(model) and isinstance(settings, model)):
        raise RegistrationError(
            f"settings are a mapping or an instance of the plugin's Settings, not "
            f"{type(settings).__name__}",
            plugin,
        )
    if not inspect.isclass(plugin):
        plugin.configure(settings)
        return plugin
    make: Any = plugin
    return make(settings)
