"""Asking the log of decisions."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from ..disk.state import StateError
from .filters import Filter
from .losses import losses
from .store import log_file
from .sums import VerdictSum, count_anew, outcome_sums, outcome_trend, verdict_sums
from .tables import VERSION

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Filter", "Log", "LogError", "open_log"]

_COLUMNS = (
    "id",
    "at",
    "point",
    "outcome",
    "duration_ms",
    "hook_count",
    "error_count",
    "reason",
    "source",
    "tool",
    "agent",
    "run_id",
    "parent_run_id",
    "session_id",
    "call_id",
    "process",
)
_RECORD = ("plugin", "hook", "verdict", "effect", "duration_ms", "error", "rule")


class LogError(StateError):
    """The log of decisions cannot be read."""


_EVERYTHING = Filter()


@dataclass(slots=True)
class Log:
    """An open log, to read from."""

    connection: sqlite3.Connection
    file: Path

    def events(
        self, wanted: Filter = _EVERYTHING, *, after: int = 0, last: int | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield events with their records, the oldest first.

        Args:
            wanted: which ones.
            after: only those with a greater ``id``.
            last: only so many, the newest ones.
        """
        condition, values = wanted.where()
        query = f"SELECT * FROM events WHERE id > ? AND {condition} ORDER BY id"  # noqa: S608
        if last is not None:
            query = f"SELECT * FROM ({query} DESC LIMIT ?) ORDER BY id"  # noqa: S608
            values.append(last)
        for row in self.connection.execute(query, [after, *values]):
            event = dict(zip(_COLUMNS, row, strict=True))
            event["timestamp"] = datetime.fromtimestamp(event.pop("at"), timezone.utc).isoformat()
            event["records"] = self._records(event["id"])
            yield event

    def _records(self, event: int) -> list[dict[str, Any]]:
        query = f"SELECT {', '.join(_RECORD)} FROM records"  # noqa: S608 - our own names
        rows = self.connection.execute(f"{query} WHERE event = ? ORDER BY position", [event])
        return [dict(zip(_RECORD, row, strict=True)) for row in rows]

    def verdicts(self, wanted: Filter = _EVERYTHING) -> Iterator[VerdictSum]:
        """Yield what hooks said; sums of the same kind may come more than once."""
        return verdict_sums(self.connection, wanted)

    def outcomes(self, wanted: Filter = _EVERYTHING) -> dict[str, int]:
        """Return how many events had each outcome."""
        return outcome_sums(self.connection, wanted)

    def trend(self, wanted: Filter, parts: int) -> list[tuple[float, Counter[str]]]:
        """Return how many events had each outcome in equal parts of the time.

        Args:
            wanted: which events count.
            parts: how many parts there are.

        Returns:
            The beginning of each part, in seconds since 1970, and the events in it by outcome;
            nothing where no event counts.
        """
        return outcome_trend(self.connection, wanted, parts)

    def drops(self, since: float | None = None) -> int:
        """Return how many events were dropped or lost since a time."""
        return sum(events for _, _, events in self.dropped(since))

    def dropped(self, since: float | None = None) -> list[tuple[float, int, int]]:
        """Return when, in seconds since 1970, which process dropped or lost how many events.

        Args:
            since: only those since this time, in seconds since 1970.
        """
        query = "SELECT at, process, events FROM drops WHERE at >= ? ORDER BY at"
        told = self.connection.execute(query, [since or 0.0]).fetchall()
        noted = [tuple(loss[1:]) for loss in losses(self.file) if loss.at >= (since or 0.0)]
        # A note that could not be taken away is in the table already.
        return sorted([*told, *(loss for loss in noted if loss not in told)])

    def tools(self) -> list[str]:
        """Return the names of all tools that events speak of."""
        rows = self.connection.execute("SELECT DISTINCT tool FROM kinds WHERE tool != ''")
        return sorted(name for (name,) in rows)

    def points(self) -> set[str]:
        """Return the points that hosts said they dispatch, and those at which hooks were seen."""
        query = "SELECT point FROM hosts UNION SELECT DISTINCT point FROM kinds"
        return {name for (name,) in self.connection.execute(query)}

    def hosts(self) -> set[str]:
        """Return the hosts that said which points they dispatch."""
        return {name for (name,) in self.connection.execute("SELECT DISTINCT host FROM hosts")}

    def count(self) -> int:
        """Return how many events there are."""
        query = "SELECT coalesce(sum(number), 0) FROM kinds"
        number: int = self.connection.execute(query).fetchone()[0]
        return number


@contextmanager
def open_log(file: Path | None = None) -> Iterator[Log | None]:
    """Open the log for reading.

    Args:
        file: its path; the user's own when None.

    Yields:
        The log; None when there is none.

    Raises:
        LogError: it is there and cannot be read.
    """
    path = log_file() if file is None else file
    if path is None or not path.exists():
        yield None
        return
    try:
        # Opened for writing where that is allowed, since readers of a WAL keep their own notes.
        with closing(sqlite3.connect(path, timeout=10.0, isolation_level=None)) as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if 0 < version < VERSION:
                count_anew(connection)
            connection.execute("PRAGMA query_only = ON")
            # A log that was made a moment ago may have no tables yet.
            yield None if version == 0 else Log(connection, path)
    except sqlite3.Error as error:
        raise LogError(
            f"the log {path} cannot be read ({error}): move it away, and a new one is begun"
        ) from error
