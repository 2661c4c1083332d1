"""Telling hooks of the gateway's own beginnings, beats and ends: each has its time."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from hookcore_specs import HookContext

from .tasks import done_within

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["told"]

logger = logging.getLogger("hookcore")


async def told(
    manager: HookManager, point: str, ctx: HookContext, seconds: float, grace: float
) -> BaseException | None:
    """Tell the hooks at a point that can stop nothing, and go on when they take too long.

    Args:
        manager: the hooks.
        point: the point.
        ctx: its context.
        seconds: how long the hooks may take.
        grace: how long they are waited for when they were cancelled.

    Returns:
        What a hook raised; None when none has. Hooks that took too long, or cancelled themselves,
        are in the log.
    """
    telling = asyncio.ensure_future(manager.adispatch(point, ctx))
    try:
        in_time = await done_within(telling, seconds, grace)
    finally:
        telling.cancel()  # who asked may have been cancelled; a task that is done takes no notice
    if not in_time:
        logger.error("the hooks at %s took longer than %s s", point, seconds)
    elif telling.cancelled():
        logger.error("the hooks at %s were cancelled by one of them", point)
    else:
        return telling.exception()
    return None
