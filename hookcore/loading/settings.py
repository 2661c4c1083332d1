"""Making a plugin from what its entry point names and the settings that the operator gives it."""

from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING, Any, TypeVar

from ..config.model import dotted
from ..errors import ConfigError
from ..naming.suggest import did_you_mean

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

    unknown = dict(_unknown(model, settings))
    words: dict[tuple[str, ...], list[str]] = {(key,): [text] for key, text in unknown.items()}
    try:
        checked = model(**{key: value for key, value in settings.items() if key not in unknown})
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_context=False, include_input=False):
            path = tuple(str(part) for part in fault["loc"])
            said = _lower(fault["msg"])
            words.setdefault(path, []).append(said)
    else:
        if not words:
            return checked
    told = (
        ("" if path[:1] and path[0] in unknown else f"{dotted(('settings', *path))}: ")
        + ", and ".join(dict.fromkeys(said))
        for path, said in words.items()
    )
    raise ConfigError("; ".join(told), key=".".join(("settings", *next(iter(words)))))


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _unknown(model: type[BaseModel], settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name misspelt keys even where the model would ignore them: the policy would be another."""
    if model.model_config.get("extra") == "allow":
        return
    known = set(_names(model))
    for key in settings:
        if key not in known:
            options = f", it knows {', '.join(sorted(known))}" if known else ", it has none"
            near = did_you_mean(key, known, prefix=", ") or options
            yield key, f"the plugin has no setting {key}{near}"


def _names(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield name
        for alias in (field.alias, field.validation_alias):
            choices: Any = getattr(alias, "choices", [alias])
            yield from (choice for choice in choices if isinstance(choice, str))
