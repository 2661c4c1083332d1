"""Days: the one that is, and how they are written."""

from __future__ import annotations

from datetime import date, datetime, timezone
from typing import Any

__all__ = ["day_of", "today"]


def today() -> date:
    """Return the day in UTC."""
    return datetime.now(timezone.utc).date()


def day_of(value: Any) -> Any:
    """Return the day that a text such as ``2027-01-31`` names; anything else as it is.

    TOML has days; environment variables and JSON can only write them as texts.
    """
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return value
    # A time of day would be lost.
    return str(value) if isinstance(value, datetime) else value
