"""The log's file: its tables, writing a batch of events, and keeping it within its bounds."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hookcore_specs import HookDispatchedEvent

__all__ = ["LOG_NAME", "Store", "log_file"]

LOG_NAME = "decisions.sqlite3"
_VERSION = 1
_LONGEST = 500
_SECONDS_TO_WAIT = 10.0
_SHARE_DROPPED_WHEN_FULL = 10
_TABLES = """
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, point TEXT NOT NULL, outcome TEXT NOT NULL,
    duration_ms REAL NOT NULL, hook_count INTEGER NOT NULL, error_count INTEGER NOT NULL,
    reason TEXT, source TEXT, tool TEXT, agent TEXT, run_id TEXT, parent_run_id TEXT,
    session_id TEXT, call_id TEXT, process INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS events_at ON events (at);
CREATE TABLE IF NOT EXISTS records (
    event INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE, position INTEGER NOT NULL,
    plugin TEXT NOT NULL, hook TEXT NOT NULL, verdict TEXT NOT NULL, effect TEXT NOT NULL,
    duration_ms REAL NOT NULL, error TEXT, PRIMARY KEY (event, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS drops (
    at REAL NOT NULL, process INTEGER NOT NULL, events INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS hosts (
    host TEXT NOT NULL, point TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (host, point))
    WITHOUT ROWID;
"""
_EVENT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_RECORD = "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_HOST = "INSERT INTO hosts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at"


def log_file() -> Path | None:
    """Return the path of the user's log, which need not exist; None for a user without a home."""
    from ..disk.state import state_folder

    folder = state_folder()
    return None if folder is None else folder / LOG_NAME


class Store:
    """An open log to write to; belongs to the thread that opened it.

    Args:
        file: Its path; the folder must exist.
        max_megabytes: The size beyond which the oldest events are dropped.
        max_days: The age beyond which they are dropped.

    Raises:
        sqlite3.Error: It cannot be opened.
        OSError: It cannot be made.
    """

    def __init__(self, file: Path, *, max_megabytes: int, max_days: int) -> None:
        self._max_bytes = max_megabytes * 1024 * 1024
        self._max_seconds = max_days * 86_400.0
        # Made by us, because SQLite would let everybody read it.
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        self._file, self._inode = file, file.stat().st_ino
        self._connection = sqlite3.connect(file, timeout=_SECONDS_TO_WAIT, isolation_level=None)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def is_current(self) -> bool:
        """Whether the path still names the file that was opened: somebody may have moved it."""
        try:
            return self._file.stat().st_ino == self._inode
        except OSError:
            return False

    def _prepare(self) -> None:
        run = self._connection.execute
        run("PRAGMA auto_vacuum = INCREMENTAL")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")  # a crash of the machine may cost the last events
        run("PRAGMA foreign_keys = ON")
        run(f"PRAGMA journal_size_limit = {min(self._max_bytes, 8 * 1024 * 1024)}")
        version = run("PRAGMA user_version").fetchone()[0]
        if version not in {0, _VERSION}:
            raise sqlite3.DatabaseError(f"another version of hookcore ({version}) wrote it")
        if version == 0:
            run("BEGIN IMMEDIATE")
            try:
                for statement in filter(str.strip, _TABLES.split(";")):
                    run(statement)
                run(f"PRAGMA user_version = {_VERSION}")
            except BaseException:
                self._undo()
                raise
            run("COMMIT")

    def write(self, events: Sequence[HookDispatchedEvent], dropped: int) -> None:
        """Write events in one transaction.

        Args:
            events: The events.
            dropped: How many events were dropped since the last write.

        Raises:
            sqlite3.Error: None of them is written.
        """
        run, process = self._connection.execute, os.getpid()
        run("BEGIN IMMEDIATE")
        try:
            first = run("SELECT coalesce(max(id), 0) + 1 FROM events").fetchone()[0]
            rows = [_row(first + at, event, process) for at, event in enumerate(events)]
            self._connection.executemany(_EVENT, rows)
            records = [r for at, event in enumerate(events) for r in _records(first + at, event)]
            self._connection.executemany(_RECORD, records)
            if dropped:
                run("INSERT INTO drops VALUES (?, ?, ?)", (time.time(), process, dropped))
        except BaseException:
            self._undo()
            raise
        run("COMMIT")

    def declare(self, host: str, points: Iterable[str]) -> None:
        """Keep which points a host said that it dispatches.

        Raises:
            sqlite3.Error: It is not written.
        """
        now = time.time()
        rows = [(_text(host), _text(point), now) for point in points]
        self._connection.executemany(_HOST, rows)

    def prune(self) -> None:
        """Drop what is too old, and the oldest tenth as long as there is too much.

        Raises:
            sqlite3.Error: The rest stays as it is.
        """
        run = self._connection.execute
        oldest = time.time() - self._max_seconds
        for table in ("events", "drops", "hosts"):
            run(f"DELETE FROM {table} WHERE at < ?", (oldest,))  # noqa: S608 - our own names
        while self._bytes() > self._max_bytes:
            low, high = run("SELECT min(id), max(id) FROM events").fetchone()
            if low is None:
                break
            share = max(1, (high - low) // _SHARE_DROPPED_WHEN_FULL)
            run("DELETE FROM events WHERE id < ?", (low + share,))
        # It is executed step by step: one row for each page that is given back.
        run("PRAGMA incremental_vacuum").fetchall()

    def _bytes(self) -> int:
        def number(name: str) -> int:
            value: int = self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            return value

        return (number("page_count") - number("freelist_count")) * number("page_size")

    def _undo(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _text(value: Any) -> str | None:
    """Make text that SQLite takes and that a model cannot make arbitrarily long."""
    if value is None:
        return None
    try:
        text = str(value)
    except Exception:  # noqa: BLE001 - an id is whatever the host makes it
        text = f"<{type(value).__name__}>"
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _row(key: int, event: HookDispatchedEvent, process: int) -> tuple[Any, ...]:
    texts = (
        event.abort_reason,
        event.abort_source,
        event.tool,
        event.agent,
        event.run_id,
        event.parent_run_id,
        event.session_id,
        event.call_id,
    )
    return (
        key,
        event.timestamp.timestamp(),
        _text(event.interception_point),
        event.outcome,
        event.duration_ms,
        event.hook_count,
        event.error_count,
        *map(_text, texts),
        process,
    )


def _records(key: int, event: HookDispatchedEvent) -> list[tuple[Any, ...]]:
    return [
        (
            key,
            position,
            _text(record.plugin),
            _text(record.hook),
            record.verdict,
            record.effect,
            record.duration_ms,
            _text(record.error),
        )
        for position, record in enumerate(event.records)
    ]
