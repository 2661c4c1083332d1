"""An agent's word on what it dispatches, so that no policy waits in vain at another point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from .host import HOST

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["POINTS", "declare", "has_own_word"]

POINTS: Final = tuple(HOST.points)
"""The points that an agent dispatches."""

_said: WeakKeyDictionary[HookManager, Any] = WeakKeyDictionary()


def declare(manager: HookManager) -> None:
    """Say which points an agent dispatches, unless the program, or a gateway, has said its own.

    Args:
        manager: the hooks.

    Raises:
        PluginLoadError: a required plugin waits where no agent comes.
    """
    if manager.declaration is None:
        HOST.declare(manager)
        _said[manager] = manager.declaration


def has_own_word(manager: HookManager) -> bool:
    """Return whether somebody else than an agent has said what is dispatched.

    Args:
        manager: the hooks.
    """
    said = manager.declaration
    return said is not None and _said.get(manager) is not said
