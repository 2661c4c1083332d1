"""The end of tasks in which a hook runs its operation, wherever their loops run."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..later import asyncio

__all__ = ["ask_to_end", "cancelled"]

_POLL = 0.01


async def cancelled(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel tasks that outlived their hook, and wait for their ends."""
    here, cancelled = asyncio.get_running_loop(), False
    own = {task for task in tasks if task.get_loop() is here}
    others = tasks - own
    for task in others:
        ask_to_end(task)
    while own or others:
        for task in own:
            task.cancel()
        try:
            if own:
                await asyncio.wait(own)
            elif others:
                await asyncio.sleep(_POLL)  # the loops of other threads wake nobody up here
        except asyncio.CancelledError:
            cancelled = True  # the end is told when they have ended, and not before
        own = {task for task in own if not task.done()}
        others = {task for task in others if not (task.done() or task.get_loop().is_closed())}
    if cancelled:
        raise asyncio.CancelledError


def ask_to_end(task: asyncio.Task[Any]) -> None:
    """Cancel a task, on its own loop, which may run in another thread."""
    with suppress(RuntimeError):  # its loop is closed, or none runs here
        if task.get_loop() is asyncio.get_running_loop():
            task.cancel()
            return
    with suppress(RuntimeError):
        task.get_loop().call_soon_threadsafe(task.cancel)
