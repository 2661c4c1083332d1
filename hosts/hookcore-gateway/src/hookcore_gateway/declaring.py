"""A gateway's word on what it dispatches, so that no policy waits in vain at another point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hookcore_agent.declaring import has_own_word

from .host import HOST

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["POINTS", "declare"]

#: Its own points and those of the agents behind it.
POINTS: Final = tuple(HOST.points)


def declare(manager: HookManager) -> None:
    """Say which points a gateway dispatches, unless the program has said what it dispatches.

    Args:
        manager: the hooks.
    """
    if not has_own_word(manager):
        HOST.declare(manager)
