"""The gateway's own tasks: receiving, and their end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Any

from .channels import Channel, Inlet
from .errors import GatewayClosedError

__all__ = ["cancelled", "received"]

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
    except Exception:
        logger.exception("channel %s has failed and receives no more", channel.name)


async def cancelled(tasks: Iterable[asyncio.Task[Any]], seconds: float) -> None:
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
