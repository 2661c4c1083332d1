"""Waiting that no clock of this machine decides."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

_ROUNDS = 50


async def settle(result: Any = None) -> Any:
    """Let every other task of the loop go on until it waits for something, and return a value."""
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)
    return result


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until a condition holds; only a test that fails takes long.

    Raises:
        AssertionError: it does not hold after so many seconds.
    """
    pause = threading.Event()
    for _ in range(int(seconds * 200)):
        if condition():
            return
        pause.wait(0.005)
    raise AssertionError("what was waited for never came")
