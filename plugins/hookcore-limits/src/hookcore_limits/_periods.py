"""Rates and periods as an operator writes them."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["PERIODS", "parse_rate"]

PERIODS: Final = {"minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
"""The seconds of a period."""
_UNITS: Final = {"second": 1, **PERIODS}
_LONGEST: Final = 31 * 86_400
_MOST: Final = 10**9
_RATE: Final = re.compile(
    r"\s*(\d{1,10})\s*(?:/|per)\s*(\d{1,7})?\s*(second|minute|hour|day|week)s?\s*", re.ASCII
)


def parse_rate(text: str) -> tuple[int, int]:
    """Return how many calls a rate allows, and in how many seconds.

    Args:
        text: for example ``100/minute``, ``5 per second`` or ``1000/15 minutes``.

    Raises:
        ValueError: it is no rate, or none that can be kept.
    """
    found = _RATE.fullmatch(text)
    if found is None:
        raise ValueError(f'"{text}" is no rate; write e.g. "100/minute"')
    limit, seconds = int(found[1]), int(found[2] or 1) * _UNITS[found[3]]
    if not 1 <= limit <= _MOST:
        raise ValueError(f'"{text}" allows {limit} calls; write 1 to {_MOST}')
    if not 1 <= seconds <= _LONGEST:
        raise ValueError(f'"{text}" counts for {seconds} seconds; write 1 second to 31 days')
    return limit, seconds
