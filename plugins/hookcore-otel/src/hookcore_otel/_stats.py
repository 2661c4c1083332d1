"""Numbers that tell how the telemetry itself fares."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import Final

__all__ = ["Counter", "Stats"]

_COMPLAIN_SECONDS: Final = 60.0
_log = logging.getLogger("hookcore_otel")


@dataclass(frozen=True, slots=True)
class Stats:
    """The numbers so far.

    Args:
        failed: how often something could not be told: what was asked for it raised.
        open: runs and calls whose end has not come.
        told: spans and log records that were handed to the exporters; 0 with ``setup = "host"``.
        delivered: those of them that a collector has taken.
        refused: those that no collector has taken in time.
    """

    failed: int = 0
    open: int = 0
    told: int = 0
    delivered: int = 0
    refused: int = 0


class Counter:
    """Counts what went wrong, and says so in the log once in a while."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._complained = float("-inf")
        self.failed = 0

    def failure(self, error: Exception) -> None:
        """Count a failure; its text is not told, since it may quote anything.

        Args:
            error: what was raised.
        """
        now = time.monotonic()
        with self._lock:
            self.failed += 1
            speaks = now - self._complained > _COMPLAIN_SECONDS
            if speaks:
                self._complained = now
        if speaks:
            kind = type(error).__name__
            _log.warning("otel: something could not be told (%s), %d so far", kind, self.failed)
