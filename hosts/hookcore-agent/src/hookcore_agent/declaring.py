"""An agent's word on what it dispatches, so that no policy waits in vain at another point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from hookcore_specs import InterceptionPoint as Point

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["POINTS", "declare", "has_own_word"]

#: Points of operations that an agent alone does not have.
_ABSENT: Final = (
    Point.GATEWAY_START,
    Point.GATEWAY_STOP,
    Point.HEARTBEAT_TICK,
    Point.SESSION_START,
    Point.SESSION_END,
    Point.MESSAGE_RECEIVED,
    Point.MESSAGE_SENDING,
    Point.MESSAGE_SENT,
    Point.PRE_STEP,
    Point.POST_STEP,
    Point.STEP_FINISHED,
)

POINTS: Final = tuple(
    point for point in Point if point not in _ABSENT and point is not Point.HOOK_DISPATCHED
)
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
        manager.declare(POINTS, without=_ABSENT, host="agent")
        _said[manager] = manager.declaration


def has_own_word(manager: HookManager) -> bool:
    """Return whether somebody else than an agent has said what is dispatched.

    Args:
        manager: the hooks.
    """
    said = manager.declaration
    return said is not None and _said.get(manager) is not said
