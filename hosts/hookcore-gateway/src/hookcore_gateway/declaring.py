"""A gateway's word on what it dispatches, so that no policy waits in vain at another point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hookcore_agent.declaring import has_own_word
from hookcore_specs import InterceptionPoint

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["POINTS", "declare"]

_STEPS: Final = (
    InterceptionPoint.PRE_STEP,
    InterceptionPoint.POST_STEP,
    InterceptionPoint.STEP_FINISHED,
)

#: Its own points and those of the agents behind it.
POINTS: Final = tuple(
    point
    for point in InterceptionPoint
    if point not in _STEPS and point is not InterceptionPoint.HOOK_DISPATCHED
)


def declare(manager: HookManager) -> None:
    """Say which points a gateway dispatches, unless the program has said what it dispatches.

    Args:
        manager: the hooks.
    """
    if not has_own_word(manager):
        manager.declare(POINTS, without=_STEPS, host="gateway")
