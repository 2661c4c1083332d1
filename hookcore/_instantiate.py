"""From an entry point's object to a plugin: classes are made into objects with their settings."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from .errors import RegistrationError

__all__ = ["instantiate"]


def instantiate(plugin: Any, settings: Any = None) -> Any:
    """Return the plugin that an entry point, or a caller of ``register``, means.

    Args:
        plugin: a class, an object, a module or a function.
        settings: a mapping that the plugin's ``Settings`` model validates, an instance of that
            model, or None for none.

    Raises:
        RegistrationError: there are settings but no ``Settings``, or they do not fit it, or the
            class cannot be instantiated.
    """
    model = getattr(plugin, "Settings", None)
    if inspect.isclass(plugin):
        return _make(plugin, model, settings)
    if settings is None:
        return plugin
    configure = getattr(plugin, "configure", None)
    if model is None or not callable(configure):
        raise RegistrationError(
            f"{plugin!r} takes no settings: a plugin that is an object or a module needs a "
            "Settings model and configure(settings)",
            plugin,
        )
    configure(_validated(plugin, model, settings))
    return plugin


def _make(plugin: type, model: Any, settings: Any) -> Any:
    if model is None:
        if settings:
            raise RegistrationError(
                f"{plugin.__qualname__} takes no settings: it has no Settings model", plugin
            )
        arguments: tuple[Any, ...] = ()
    else:
        arguments = (_validated(plugin, model, {} if settings is None else settings),)
    try:
        return plugin(*arguments)
    except TypeError as error:
        raise RegistrationError(
            f"{plugin.__qualname__} cannot be made into a plugin: {error}", plugin
        ) from error


def _validated(plugin: Any, model: Any, settings: Any) -> Any:
    if isinstance(settings, model):
        return settings
    if not isinstance(settings, Mapping):
        raise RegistrationError(f"settings are a mapping, not {type(settings).__name__}", plugin)
    try:
        return model(**settings)
    except ValueError as error:  # pydantic's ValidationError is one
        name = getattr(plugin, "__qualname__", None) or type(plugin).__qualname__
        raise RegistrationError(f"the settings of {name} are wrong: {error}", plugin) from error
