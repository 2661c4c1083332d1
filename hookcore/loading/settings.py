"""Making a plugin from what its entry point names and the settings that the operator gives it."""

from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING, Any, TypeVar

from ..config.model import dotted
from ..config.suggest import did_you_mean
from ..errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic import BaseModel

__all__ = ["prepare", "validated"]

_M = TypeVar("_M", bound="BaseModel")


def prepare(target: object, settings: Mapping[str, Any]) -> object:
    """Turn an entry point's target into a plugin that can be registered.

    Args:
        target: a class, which is instantiated with its settings, or an instance or a module, whose
            ``configure`` is called with them. A pydantic model named ``Settings`` on it says what
            the settings are.
        settings: what the operator configured.

    Returns:
        The plugin.

    Raises:
        ConfigError: the settings do not fit; ``key`` is the path of the first wrong one.
        TypeError: the target is nothing that could be a plugin.
        Exception: whatever the plugin's own code raises.
    """
    if target is None or inspect.isroutine(target) or isinstance(target, str | bytes | int | float):
        raise TypeError(
            f"the entry point names {_kind(target)}: it must name a class, an instance or a module"
        )
    model = _model(target)
    if model is None:
        if settings:
            raise ConfigError(
                f"settings are given ({', '.join(map(str, settings))}), and the plugin declares "
                "none",
                key="settings",
            )
        return target() if isinstance(target, type) else target
    checked = validated(model, settings)
    return target(checked) if isinstance(target, type) else _configured(target, checked)


def _kind(target: object) -> str:
    return "a function" if inspect.isroutine(target) else repr(target)


def _model(target: object) -> type[BaseModel] | None:
    model: Any = getattr(target, "Settings", None)
    if model is None:
        return None
    if not (isinstance(model, type) and hasattr(model, "model_fields")):
        raise TypeError("the plugin's Settings is not a pydantic model")
    return model


def _configured(target: object, checked: BaseModel) -> object:
    configure: Callable[[BaseModel], object] | None = getattr(target, "configure", None)
    if not callable(configure):
        what = "module" if isinstance(target, types.ModuleType) else "instance"
        raise TypeError(
            f"the plugin is {'a' if what == 'module' else 'an'} {what} with Settings, so it needs "
            "a function configure(settings) to receive them"
        )
    configure(checked)
    return target


def validated(model: type[_M], settings: Mapping[str, Any]) -> _M:
    """Return settings as their model has them.

    Args:
        model: the model.
        settings: what the operator configured.

    Raises:
        ConfigError: they do not fit; ``key`` is the path of the first wrong one.
    """
    from pydantic import ValidationError

    _refuse_unknown(model, settings)
    try:
        return model(**settings)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
    paths = [tuple(str(part) for part in fault["loc"]) for fault in faults]
    words = (
        f"{dotted(('settings', *path))}: {_lower(fault['msg'])}"
        for path, fault in zip(paths, faults, strict=True)
    )
    raise ConfigError("; ".join(words), key=".".join(("settings", *paths[0])))


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _refuse_unknown(model: type[BaseModel], settings: Mapping[str, Any]) -> None:
    """Refuse a misspelt key even where the model would ignore it: the policy would be another."""
    if model.model_config.get("extra") == "allow":
        return
    known = set(_names(model))
    for key in settings:
        if key not in known:
            options = f"; it knows {', '.join(sorted(known))}" if known else "; it has none"
            raise ConfigError(
                f"the plugin has no setting {key}{did_you_mean(key, known) or options}",
                key=f"settings.{key}",
            )


def _names(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield name
        for alias in (field.alias, field.validation_alias):
            choices: Any = getattr(alias, "choices", [alias])
            yield from (choice for choice in choices if isinstance(choice, str))
