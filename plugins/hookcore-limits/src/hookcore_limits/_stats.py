"""Counts of what the policy did."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from hookcore_stores import renewed_in_children

__all__ = ["Counter", "Stats"]


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts since the plugin was made.

    Args:
        denied: calls that were denied since a limit was reached.
        away: questions that the store had no answer to.
        unchecked: calls that went on without the store, as ``when_away`` says.
        late: model calls whose reservation had outlived its time when they ended.
        under_way: model calls whose reservation waits for their end.
    """

    denied: int = 0
    away: int = 0
    unchecked: int = 0
    late: int = 0
    under_way: int = 0


class Counter:
    """Counts up from any thread."""

    def __init__(self) -> None:
        self.stats = Stats()
        self._renew()
        renewed_in_children(self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def add(self, name: str) -> None:
        """Count one field of the statistics up."""
        with self._lock:
            self.stats = replace(self.stats, **{name: getattr(self.stats, name) + 1})
