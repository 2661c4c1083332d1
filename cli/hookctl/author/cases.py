"""The cases that a plugin ships: payloads, and what it has to say to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hookcore.config.files import parse
from hookcore.errors import ConfigError
from hookcore.naming.suggest import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["VERDICTS", "Case", "read_cases"]

VERDICTS = ("allow", "modify", "deny", "error")
_TYPES: dict[str, tuple[type, str]] = {
    "name": (str, "text"),
    "point": (str, "text"),
    "expect": (str, "text"),
    "tool": (str, "text"),
    "agent": (str, "text"),
    "reason": (str, "text"),
    "plugin": (str, "text"),
    "settings": (dict, "a table"),
    "repeat": (int, "a whole number above 0"),
}
_ANY = ("payload", "result", "returns")
_NEEDED = ("point", "expect")
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Case:
    """One payload, and the verdict that it must have."""

    point: str
    expect: str
    """One of :data:`VERDICTS`."""
    name: str
    payload: Any = None
    tool: str | None = None
    agent: str | None = None
    reason: str | None = None
    """A part of the reason of an abort."""
    result: Any = None
    """The payload afterwards; None when that does not matter."""
    returns: Any = None
    """The operation's result, at a wrap point."""
    plugin: str | None = None
    """The plugin that is meant, where a distribution offers several."""
    settings: dict[str, Any] = field(default_factory=dict)
    repeat: int = 1
    """The times that it happens in one run; the last one counts."""
    where: str = ""


def read_cases(file: Path) -> list[Case]:
    """Read cases.

    Args:
        file: a TOML file with a table ``[[case]]`` for each; ``[settings]`` is for all of them.

    Raises:
        ConfigError: the file is no TOML, or a case is not complete.
    """
    table = parse(file, file.read_bytes())
    shared = table.get("settings", {})
    items = table.get("case", [])
    for key in table:
        if key not in {"settings", "case"}:
            near = did_you_mean(key, ("settings", "case"))
            raise ConfigError(f"{file}: {key} is no key of a file of cases{near}", file, key)
    if not isinstance(items, list) or not isinstance(shared, dict):
        raise ConfigError(f"{file}: write [[case]] for each case, and [settings] once", file)
    return [_case(file, number, item, shared) for number, item in enumerate(items, 1)]


def _case(file: Path, number: int, item: Any, shared: dict[str, Any]) -> Case:
    where = f"{file}: case {number}"
    if not isinstance(item, dict):
        raise ConfigError(f"{where} is no table", file)
    for key, value in item.items():
        if key not in _TYPES and key not in _ANY:
            known = did_you_mean(key, (*_TYPES, *_ANY)) or f"; known: {', '.join((*_TYPES, *_ANY))}"
            raise ConfigError(f"{where}: {key} is no key of a case{known}", file, key)
        kind = _TYPES.get(key)
        if kind is not None and not isinstance(value, kind[0]):
            raise ConfigError(f"{where}: {key} must be {kind[1]}, not {value!r}", file, key)
    repeat = item.get("repeat", 1)
    if isinstance(repeat, bool) or not 1 <= repeat <= _MOST:
        raise ConfigError(f"{where}: repeat must be 1 to {_MOST}, not {repeat!r}", file, "repeat")
    for key in _NEEDED:
        if key not in item:
            raise ConfigError(f"{where} has no {key}", file, key)
    if item["expect"] not in VERDICTS:
        words = ", ".join(VERDICTS)
        near = did_you_mean(item["expect"], VERDICTS)
        raise ConfigError(
            f"{where}: expect must be one of {words}, not {item['expect']!r}{near}", file, "expect"
        )
    made = {"name": f"case {number}", **item, "settings": {**shared, **item.get("settings", {})}}
    return Case(**made, where=where)
