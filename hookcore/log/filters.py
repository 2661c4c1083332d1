"""The filters of the log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Filter"]


@dataclass(frozen=True, slots=True)
class Filter:
    """The events of the log that one asks for; None asks for all.

    ``since`` is in seconds since 1970 (UTC); ``tool`` and ``plugin`` are names or globs.
    """

    since: float | None = None
    plugin: str | None = None
    outcome: str | None = None
    tool: str | None = None
    run: str | None = None

    @property
    def is_of_time(self) -> bool:
        """True when nothing but the time decides."""
        return self.plugin is self.outcome is self.tool is self.run is None

    def where(self) -> tuple[str, list[Any]]:
        """Return the condition on events in SQL, and its values."""
        parts: list[str] = ["1"]
        values: list[Any] = []
        conditions = {
            "at >= ?": self.since,
            "outcome = ?": self.outcome,
            "tool GLOB ?": self.tool,
            "run_id = ?": self.run,
            "id IN (SELECT event FROM records WHERE plugin GLOB ?)": self.plugin,
        }
        for condition, value in conditions.items():
            if value is not None:
                parts.append(condition)
                values.append(value)
        return " AND ".join(parts), values
