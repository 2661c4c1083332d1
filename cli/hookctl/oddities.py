"""Finding out quickly whether a configuration may be wrong, where pydantic is too slow to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from hookcore.config import LogConfig, Mode, OnErrorName, PluginConfig, Trust, Verify, read_config
from hookcore.errors import HookcoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["mistakes"]

_KEYS = {
    "hooks": {"enabled", "verify", "builtin"},
    "log": set(LogConfig.__dataclass_fields__),
    "plugins": None,
    "telemetry": {"track_mutations"},
    "trust": {"project"},
}
_PLUGIN = set(PluginConfig.__dataclass_fields__)
_WORDS = {
    "mode": get_args(Mode),
    "on_error": get_args(OnErrorName),
    "verify": get_args(Verify),
    "project": get_args(Trust),
}
_NUMBERS = ("max_days", "max_megabytes", "priority", "timeout")
_LISTS = ("points", "tools", "agents")


def mistakes(table: Mapping[str, Any]) -> str | None:
    """Tell what keeps a manager from starting with a configuration.

    Args:
        table: what the files and the environment say together.

    Returns:
        The mistakes in the words of an error; None when there is none. One whose values are all
        plain is not looked at again.
    """
    if _is_plain(table):
        return None
    try:
        read_config()
    except HookcoreError as error:
        return str(error)
    return None


def _is_plain(table: Mapping[str, Any]) -> bool:
    for name, inside in table.items():
        if name not in _KEYS or not isinstance(inside, dict):
            return False
        keys = _KEYS[name]
        if keys is not None and not (
            inside.keys() <= keys and all(_fits(*i) for i in inside.items())
        ):
            return False
    return all(
        isinstance(plugin, dict)
        and plugin.keys() <= _PLUGIN
        and all(_fits(*i) for i in plugin.items())
        for plugin in table.get("plugins", {}).values()
    )


def _fits(key: str, value: Any) -> bool:
    if key in _WORDS:
        return value in _WORDS[key]
    if key in _LISTS:
        return (
            isinstance(value, list) and bool(value) and all(isinstance(v, str) and v for v in value)
        )
    if key in _NUMBERS:
        return isinstance(value, int) and value > 0
    if key == "rules":
        return isinstance(value, dict) and not value
    return isinstance(value, dict if key == "settings" else bool)
