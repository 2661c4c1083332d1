"""Approvals that were taken at a question, for the policy's own gate of the same call."""

from __future__ import annotations

import threading
import time
from typing import Final

__all__ = ["Credits"]

_SECONDS: Final = 60.0
_MOST: Final = 1000


class Credits:
    """Remembers for a moment what was approved, so that nobody is asked twice for one call.

    Each counts once: two calls never go on with one approval.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: dict[tuple[str, str], float] = {}

    def give(self, binding: str, call_id: str | None) -> None:
        """Remember that a call was approved.

        Args:
            binding: what the approval was looked up by.
            call_id: the call's id; without one nothing is remembered.
        """
        if call_id is None:
            return
        with self._lock:
            if len(self._until) >= _MOST:
                del self._until[next(iter(self._until))]  # the oldest: somebody is asked again
            self._until[binding, call_id] = time.monotonic() + _SECONDS

    def take(self, binding: str, call_id: str | None) -> bool:
        """Return whether a call was approved a moment ago, once.

        Args:
            binding: what the approval would be looked up by.
            call_id: the call's id.
        """
        if call_id is None:
            return False
        with self._lock:
            return self._until.pop((binding, call_id), 0.0) > time.monotonic()
