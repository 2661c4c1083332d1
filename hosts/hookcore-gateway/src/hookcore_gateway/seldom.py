"""Log lines that anybody outside can cause: one in a while, with the number of those left out."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Seldom"]


class Seldom:
    """Lets one line of a kind into the log in a while, and counts the others.

    Args:
        seconds: how long a while is.
        clock: tells the time in seconds.
    """

    def __init__(self, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._next: float | None = None
        self._left_out = 0

    def due(self) -> int | None:
        """Return how many lines were left out when one is due again, and None when it is not."""
        now = self._clock()
        if self._next is not None and now < self._next:
            self._left_out += 1
            return None
        self._next = now + self._seconds
        left_out, self._left_out = self._left_out, 0
        return left_out
