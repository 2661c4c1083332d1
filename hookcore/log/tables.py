"""The log's tables, and the statements that fill them."""

from __future__ import annotations

import sqlite3
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["VERSION", "insert", "make_tables", "take_over"]

VERSION = 3
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
    duration_ms REAL NOT NULL, error TEXT, rule TEXT, PRIMARY KEY (event, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS drops (
    at REAL NOT NULL, process INTEGER NOT NULL, events INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS hosts (
    host TEXT NOT NULL, point TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (host, point))
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kinds (
    block INTEGER NOT NULL, point TEXT NOT NULL, tool TEXT NOT NULL, outcome TEXT NOT NULL,
    first REAL NOT NULL, last REAL NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (block, point, tool, outcome)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verdicts (
    block INTEGER NOT NULL, plugin TEXT NOT NULL, point TEXT NOT NULL, tool TEXT NOT NULL,
    rule TEXT NOT NULL, verdict TEXT NOT NULL, effect TEXT NOT NULL, class INTEGER NOT NULL,
    number INTEGER NOT NULL, milliseconds REAL NOT NULL,
    PRIMARY KEY (block, plugin, point, tool, rule, verdict, effect, class)) WITHOUT ROWID;
"""
_COLUMNS = {"events": 16, "records": 9, "kinds": 7, "verdicts": 10}
_ADDING = {
    "kinds": " ON CONFLICT DO UPDATE SET number = number + excluded.number, "
    "first = min(first, excluded.first), last = max(last, excluded.last)",
    "verdicts": " ON CONFLICT DO UPDATE SET number = number + excluded.number, "
    "milliseconds = milliseconds + excluded.milliseconds",
}
# What SQLite took in a statement before 3.32; most Pythons have a newer one.
_MOST_VALUES = 999 if sqlite3.sqlite_version_info < (3, 32) else 32_766


def make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables that are missing."""
    for statement in filter(str.strip, _TABLES.split(";")):
        connection.execute(statement)


def take_over(connection: sqlite3.Connection) -> None:
    """Make the tables of an older version ready for this one's; what they counted goes.

    Args:
        connection: an open transaction.
    """
    connection.execute("DROP TABLE IF EXISTS verdicts")
    connection.execute("ALTER TABLE records ADD COLUMN rule TEXT")


def insert(connection: sqlite3.Connection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows, many with each statement; into tables of counts they are added.

    Each statement lets go of Python's lock and may wait for it again as long as a busy thread
    keeps it: row by row, the writer would be left behind.

    Args:
        connection: an open transaction.
        table: one of the tables.
        rows: what to insert.

    Raises:
        sqlite3.Error: some are not inserted.
    """
    columns = _COLUMNS[table]
    size, one = _MOST_VALUES // columns, f"({', '.join('?' * columns)})"
    for first in range(0, len(rows), size):
        part = rows[first : first + size]
        many = ", ".join([one] * len(part))
        connection.execute(
            f"INSERT INTO {table} VALUES {many}{_ADDING.get(table, '')}",  # noqa: S608 - our own
            list(chain.from_iterable(part)),
        )
