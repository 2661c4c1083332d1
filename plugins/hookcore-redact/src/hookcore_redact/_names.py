"""Names that stand beside a value in its container and say what it is."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from ._wording import words

__all__ = ["named_value", "names_of_items"]

_NAMES: Final = words(
    """
    name key variable header field label parameter parameterkey env envvar attribute id title
    """
)
_VALUES: Final = words(
    """
    value val secret content data values parametervalue stringvalue default text
    """
)
_COMMANDS: Final = words(
    """
    sshpass mysql mysqldump mysqladmin mariadb docker podman mongo mongosh zip unzip 7z
    redis-cli az
    """
)
_PASSWORD_FLAGS: Final = frozenset({"-p", "-P", "-a", "-w"})


def named_value(items: Iterable[tuple[Any, Any]]) -> tuple[str, frozenset[str]] | None:
    """Return what ``{"name": "DB_PASSWORD", "value": ...}`` says, and of which of its keys.

    Args:
        items: keys and values, or attributes.

    Returns:
        The name, and the keys whose values it names; None without such a pair.
    """
    name, values = None, []
    for key, value in items:
        if type(key) is not str:
            continue
        role = _role(key)
        if role is None:
            continue
        if role:
            values.append(key)
        elif name is None and type(value) is str:
            name = value
    return None if name is None or not values else (name, frozenset(values))


@lru_cache(maxsize=4096)
def _role(key: str) -> bool | None:
    """Return whether a key stands before a value, or before its name; None for any other."""
    folded = key.lower()
    return True if folded in _VALUES else False if folded in _NAMES else None


def names_of_items(items: Sequence[Any]) -> Mapping[int, str]:
    """Return the names of those items of a list that have one: the option before them says it.

    Args:
        items: a command's arguments, say.
    """
    names: dict[int, str] = {}
    for at, (option, value) in enumerate(itertools.pairwise(items), 1):
        if type(option) is not str or type(value) is not str or option[:1] != "-":
            continue
        if option in _PASSWORD_FLAGS:
            first = items[0] if type(items[0]) is str else ""
            if first.rpartition("/")[2] in _COMMANDS:
                names[at] = "password"
        elif value[:1] != "-" and len(option) > 2:  # noqa: PLR2004 - "-p" has its own rule
            names[at] = option.lstrip("-")
    return names


def is_pair(item: Any) -> bool:
    """Tell whether an item is a name and its value."""
    if type(item) not in (list, tuple) or len(item) != len(("name", "value")):
        return False
    return all(type(part) is str for part in item)


__all__ += ["is_pair"]
