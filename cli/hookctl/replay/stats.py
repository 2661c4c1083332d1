"""Numbers of a replay, in memory that does not grow with it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_GROWTH = math.log(1.02)
"""Times are kept in classes 2 % wide, so that a quantile is 1 % off at most."""
_SMALLEST_MS = 1e-5


@dataclass(slots=True)
class Durations:
    """A histogram of times in milliseconds."""

    count: int = 0
    total_ms: float = 0.0
    longest_ms: float = 0.0
    _classes: Counter[int] = field(default_factory=Counter)

    def add(self, milliseconds: float) -> None:
        """Count one time.

        Args:
            milliseconds: the time.
        """
        self.count += 1
        self.total_ms += milliseconds
        self.longest_ms = max(self.longest_ms, milliseconds)
        self._classes[round(math.log(max(milliseconds, _SMALLEST_MS)) / _GROWTH)] += 1

    def merge(self, other: Durations) -> None:
        """Count what another histogram has counted.

        Args:
            other: the other one.
        """
        self.count += other.count
        self.total_ms += other.total_ms
        self.longest_ms = max(self.longest_ms, other.longest_ms)
        self._classes.update(other._classes)

    def to_data(self) -> dict[str, Any]:
        """Give the histogram as JSON can hold it.

        Returns:
            What `from_data` reads.
        """
        return {
            "count": self.count,
            "total_ms": self.total_ms,
            "longest_ms": self.longest_ms,
            "classes": sorted(self._classes.items()),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Durations:
        """Make a histogram of what `to_data` gave.

        Args:
            data: from there, perhaps by way of JSON.

        Returns:
            An equal histogram.
        """
        classes = Counter[int](dict(data["classes"]))
        return cls(data["count"], data["total_ms"], data["longest_ms"], classes)

    def quantile(self, share: float) -> float | None:
        """Give the time that a share of all times does not exceed.

        Args:
            share: between 0 and 1.

        Returns:
            Milliseconds, or None without any time.
        """
        rank = max(1, math.ceil(share * self.count))
        for number in sorted(self._classes):
            rank -= self._classes[number]
            if rank <= 0:
                return min(math.exp(number * _GROWTH), self.longest_ms)
        return None


@dataclass(slots=True)
class PluginStats:
    """The counts of one plugin."""

    modified: int = 0
    aborted: int = 0
    errors: int = 0
    times: Durations = field(default_factory=Durations)

    def merge(self, other: PluginStats) -> None:
        """Add what the plugin did elsewhere.

        Args:
            other: the numbers from there.
        """
        self.modified += other.modified
        self.aborted += other.aborted
        self.errors += other.errors
        self.times.merge(other.times)

    def to_data(self) -> dict[str, Any]:
        """Give the numbers as JSON can hold them, to be merged elsewhere.

        Returns:
            What `from_data` reads.
        """
        return {
            "modified": self.modified,
            "aborted": self.aborted,
            "errors": self.errors,
            "times": self.times.to_data(),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> PluginStats:
        """Make numbers of what `to_data` gave.

        Args:
            data: from there, perhaps by way of JSON.

        Returns:
            Equal numbers.
        """
        times = Durations.from_data(data["times"])
        return cls(data["modified"], data["aborted"], data["errors"], times)

    def as_json(self) -> dict[str, object]:
        """Give the numbers for JSON.

        Returns:
            Calls, findings by kind, and hook times in milliseconds.
        """
        return {
            "calls": self.times.count,
            "modified": self.modified,
            "aborted": self.aborted,
            "errors": self.errors,
            "p50_ms": _rounded(self.times.quantile(0.5)),
            "p99_ms": _rounded(self.times.quantile(0.99)),
            "total_ms": _rounded(self.times.total_ms),
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
