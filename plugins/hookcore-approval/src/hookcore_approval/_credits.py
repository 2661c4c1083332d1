"""Approvals that were taken a moment ago, for all policies that ask about the same call."""

from __future__ import annotations

import threading
import time
from typing import Final

__all__ = ["Credits"]

_SECONDS: Final = 60.0
_MOST: Final = 1000


class Credits:
    """Remembers for a moment what was approved, so that nobody is asked twice for one call.

    Each who asks may use an approval once: when one asks again it is about another call, which
    needs an approval of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given: dict[tuple[str, str], tuple[float, set[str]]] = {}

    def give(self, binding: str, call_id: str | None, asker: str) -> None:
        """Remember that a call was approved for one who asked.

        Args:
            binding: what the approval was looked up by.
            call_id: the call's id; without one nothing is remembered.
            asker: the policy that asked.
        """
        if call_id is None:
            return
        with self._lock:
            if len(self._given) >= _MOST:
                del self._given[next(iter(self._given))]  # the oldest: somebody is asked again
            self._given[binding, call_id] = time.monotonic() + _SECONDS, {asker}

    def take(self, binding: str, call_id: str | None, asker: str) -> bool:
        """Return whether a call was approved a moment ago for another one who asked.

        Args:
            binding: what the approval would be looked up by.
            call_id: the call's id.
            asker: the policy that asks now.
        """
        if call_id is None:
            return False
        with self._lock:
            until, askers = self._given.get((binding, call_id), (0.0, set()))
            if until <= time.monotonic() or asker in askers:
                return False
            askers.add(asker)
            return True
