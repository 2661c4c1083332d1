"""Durations in classes, each of which holds what differs by two in a hundred at most."""

from __future__ import annotations

from math import ceil, log

__all__ = ["class_of"]

_PER_FACTOR = 1 / log(1.02)
_SHORTEST_MS = 1e-6
_LONGEST_MS = 1e12


def class_of(milliseconds: float) -> int:
    """Return the class of a duration.

    Args:
        milliseconds: the duration; none is told apart below a nanosecond.
    """
    # A clock that was set back must not break the log.
    return ceil(log(min(max(milliseconds, _SHORTEST_MS), _LONGEST_MS)) * _PER_FACTOR)
