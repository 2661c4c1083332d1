"""The gateway's own tasks: receiving, and their end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from typing import Any

from hookcore.hosting import describe_failure

from .channels import Channel, Inlet
from .errors import GatewayClosedError
from .shown import log_failure, shown

__all__ = ["cancelled", "closed", "done_within", "forgotten", "received"]

logger = logging.getLogger("hookcore")


async def received(channel: Channel, inlet: Inlet) -> None:
    """Let a channel receive; its failure is its own.

    Args:
        channel: the channel.
        inlet: where its messages go.
    """
    try:
        await channel.receive(inlet)
    except GatewayClosedError:
        return  # it had one more when the gateway stopped
    except Exception as error:  # noqa: BLE001 - whatever a channel raises is its own
        log_failure(
            logger, error, "channel %s has failed and receives no more", shown(channel.name)
        )


async def cancelled(tasks: Iterable[asyncio.Future[Any]], seconds: float) -> None:
    """Cancel tasks and wait for them, not for ever.

    Args:
        tasks: the tasks.
        seconds: how long.
    """
    waited = list(tasks)
    for task in waited:
        task.cancel()
    if waited:
        await asyncio.wait(waited, timeout=seconds)


async def done_within(task: asyncio.Future[Any], seconds: float, grace: float) -> bool:
    """Wait for a task, not for ever: cancel it when it takes too long.

    Args:
        task: the task.
        seconds: how long it may take.
        grace: how long it is waited for when it was cancelled.

    Returns:
        Whether it was done in time.
    """
    await asyncio.wait({task}, timeout=seconds)
    if task.done():
        return True
    task.add_done_callback(forgotten)
    await cancelled([task], grace)
    return False


async def closed(works: Iterable[Awaitable[None]], seconds: float) -> None:
    """Close what is to be closed; one that fails or hangs keeps no other open.

    Args:
        works: what closes something.
        seconds: how long each may take, and how long it is waited for when it was cancelled.
    """
    for task in [asyncio.ensure_future(work) for work in works]:
        if not await done_within(task, seconds, seconds):
            logger.error("a channel, or what keeps the sessions, took too long to close")
        elif not task.cancelled() and (error := task.exception()) is not None:
            log_failure(logger, error, "a channel, or what keeps the sessions, did not close")


def forgotten(task: asyncio.Future[Any]) -> None:
    """Take note of how work ended that was given up.

    Args:
        task: the work, which has ended.
    """
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("work that was given up failed later: %s", describe_failure(error))
