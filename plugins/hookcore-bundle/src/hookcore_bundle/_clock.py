"""The machine's clock, and how its times are written."""

from __future__ import annotations

import time
from datetime import datetime, timezone

__all__ = ["now", "told"]


def now() -> int:
    """Return the seconds since 1970."""
    return int(time.time())


def told(seconds: int) -> str:
    """Write a time for people, in UTC.

    Args:
        seconds: since 1970.
    """
    try:
        at = datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, OSError, ValueError):
        return f"{seconds} s after 1970"
    return at.strftime("%Y-%m-%d %H:%M:%SZ")
