"""The waits for a receiver that does not answer."""

from __future__ import annotations

import random
import time

__all__ = ["Backoff"]


class Backoff:
    """Doubles the wait with each failure, up to a bound, and varies it.

    Args:
        first: seconds after the first failure.
        most: seconds at the most, also where the receiver asks for more.
    """

    def __init__(self, first: float, most: float) -> None:
        self._first = first
        self._most = most
        self._until = 0.0
        self.failures = 0
        """Failures in a row."""

    def failed(self, asked: float = 0.0) -> None:
        """Begin a wait.

        Args:
            asked: seconds that the receiver asks for.
        """
        # So many doublings are more than any bound, and fewer than a float can take.
        wait = self._first * 2.0 ** min(self.failures, 60)
        # Processes that failed together must not come back together.
        wait *= random.uniform(0.8, 1.2)  # noqa: S311 - no secret
        self.failures += 1
        self._until = time.monotonic() + min(max(wait, asked), self._most)

    def succeeded(self) -> None:
        """End all waiting."""
        self.failures, self._until = 0, 0.0

    def left(self) -> float:
        """Return the seconds that are left to wait; 0 when the next attempt may be made."""
        return max(0.0, self._until - time.monotonic())
