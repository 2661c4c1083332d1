"""The log's file: writing a batch of events, and keeping it within its bounds."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .losses import losses
from .rows import BLOCK, count_rows, rows_of, text_of
from .tables import VERSION, insert, make_tables, take_over

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hookcore_specs import HookDispatchedEvent

__all__ = ["LOG_NAME", "Store", "log_file"]

LOG_NAME = "decisions.sqlite3"
# Few statements are remembered, since each may be for a thousand rows.
_CONNECTING: Any = {"timeout": 10.0, "isolation_level": None, "cached_statements": 16}
_NO_WAITING: int = getattr(os, "O_NONBLOCK", 0)  # for a pipe, which it refuses
_SHARE_DROPPED_WHEN_FULL = 10
_HOST = "INSERT INTO hosts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at"
_LOSS = (
    "INSERT INTO drops SELECT ?1, ?2, ?3 WHERE NOT EXISTS "
    "(SELECT 1 FROM drops WHERE at = ?1 AND process = ?2 AND events = ?3)"
)


def log_file() -> Path | None:
    """Return the path of the user's log, which need not exist; None for a user without a home."""
    from ..disk.state import state_folder

    folder = state_folder()
    return None if folder is None else folder / LOG_NAME


class Store:
    """An open log to write to; belongs to the thread that opened it.

    Args:
        file: its path; its folder is made, closed to others, when it is not there.
        max_megabytes: the size beyond which the oldest events are dropped.
        max_days: the age beyond which they are dropped.

    Raises:
        sqlite3.Error: it cannot be opened.
        OSError: it cannot be made, or is no regular file.
    """

    def __init__(self, file: Path, *, max_megabytes: int, max_days: int) -> None:
        self._max_bytes = max_megabytes * 1024 * 1024
        self._max_seconds = max_days * 86_400.0
        self._file = file
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made by us, because SQLite would let everybody read it. It stays open as long as the
        # connection: to close it would take SQLite's locks away.
        self._descriptor = os.open(file, os.O_CREAT | os.O_RDWR | _NO_WAITING, 0o600)
        try:
            found = os.fstat(self._descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise OSError(f"{file} is no regular file: move it away")  # noqa: TRY301
            self._inode = (found.st_dev, found.st_ino)
            self._connection = sqlite3.connect(file, **_CONNECTING)
        except BaseException:
            os.close(self._descriptor)
            raise
        try:
            self._prepare()
            self._count_losses()
        except BaseException:
            self.close()
            raise

    def is_current(self) -> bool:
        """Tell whether the path still names the opened file: somebody may have moved it."""
        try:
            found = self._file.stat()
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self._inode

    def _prepare(self) -> None:
        run = self._connection.execute
        run("PRAGMA auto_vacuum = INCREMENTAL")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")  # a crash of the machine may cost the last events
        run("PRAGMA foreign_keys = ON")
        run(f"PRAGMA journal_size_limit = {min(self._max_bytes, 8 * 1024 * 1024)}")
        if self._version() == VERSION:
            return
        with self._transaction():
            version = self._version()  # another process may have been quicker
            if version not in range(VERSION + 1):
                raise sqlite3.DatabaseError(f"another version of hookcore ({version}) wrote it")
            is_older = 0 < version < VERSION
            if is_older:
                take_over(self._connection)
            make_tables(self._connection)
            if is_older:  # it had events, and no counts of them by rule
                for block in self._blocks():
                    self._recount(block)
            run(f"PRAGMA user_version = {VERSION}")

    def _version(self) -> int:
        version: int = self._connection.execute("PRAGMA user_version").fetchone()[0]
        return version

    def _count_losses(self) -> None:
        found = losses(self._file)
        if found:
            with self._transaction():
                self._connection.executemany(_LOSS, [loss[1:] for loss in found])
        for loss in found:
            with contextlib.suppress(OSError):
                loss.note.unlink()

    def write(self, events: Sequence[HookDispatchedEvent], dropped: int) -> None:
        """Write events in one transaction.

        Args:
            events: the events.
            dropped: how many events were dropped since the last write.

        Raises:
            sqlite3.Error: None of them is written.
            OSError: the same, since the file was removed meanwhile.
        """
        process = os.getpid()
        with self._transaction():
            query = "SELECT coalesce(max(id), 0) + 1 FROM events"
            first = self._connection.execute(query).fetchone()[0]
            rows = rows_of(events, first, process)
            counts = count_rows(*rows)
            insert(self._connection, "events", rows.events)
            insert(self._connection, "records", rows.records)
            insert(self._connection, "kinds", counts.kinds)
            insert(self._connection, "verdicts", counts.verdicts)
            if dropped:
                values = (time.time(), process, dropped)
                self._connection.execute("INSERT INTO drops VALUES (?, ?, ?)", values)
        if os.fstat(self._descriptor).st_nlink == 0:
            raise OSError(f"{self._file} was removed while it was written")

    def declare(self, host: str, points: Iterable[str]) -> None:
        """Keep which points a host said that it dispatches.

        Raises:
            sqlite3.Error: it is not written.
        """
        now = time.time()
        rows = [(text_of(host), text_of(point), now) for point in points]
        self._connection.executemany(_HOST, rows)

    def prune(self) -> None:
        """Drop what is too old, and the oldest tenth as long as there is too much.

        Raises:
            sqlite3.Error: the rest stays as it is.
        """
        run = self._connection.execute
        oldest = time.time() - self._max_seconds
        for table in ("drops", "hosts"):
            run(f"DELETE FROM {table} WHERE at < ?", (oldest,))  # noqa: S608 - our own names
        if run("SELECT 1 FROM events WHERE at < ? LIMIT 1", (oldest,)).fetchone():
            self._delete("at < ?", oldest)
        while self._bytes() > self._max_bytes:
            low, high = run("SELECT min(id), max(id) FROM events").fetchone()
            if low is None:
                break
            below = low + max(1, (high - low) // _SHARE_DROPPED_WHEN_FULL)
            whole = below - below % BLOCK
            self._delete("id < ?", whole if whole > low else below)
        # It is executed step by step: one row for each page that is given back.
        run("PRAGMA incremental_vacuum").fetchall()

    def _delete(self, condition: str, value: float) -> None:
        """Delete events with all that was counted of them."""
        run = self._connection.execute
        with self._transaction():
            query = f"SELECT DISTINCT id / {BLOCK} FROM events WHERE {condition}"  # noqa: S608
            blocks = [block for (block,) in run(query, (value,))]
            run(f"DELETE FROM events WHERE {condition}", (value,))  # noqa: S608 - our own words
            for block in blocks:
                self._recount(block)

    def _blocks(self) -> list[int]:
        low, high = self._connection.execute("SELECT min(id), max(id) FROM events").fetchone()
        return [] if low is None else list(range(low // BLOCK, high // BLOCK + 1))

    def _recount(self, block: int) -> None:
        run, ids = self._connection.execute, (block * BLOCK, (block + 1) * BLOCK)
        events = run("SELECT * FROM events WHERE id >= ? AND id < ?", ids).fetchall()
        records = run("SELECT * FROM records WHERE event >= ? AND event < ?", ids).fetchall()
        counts = count_rows(events, records)
        for table, rows in counts._asdict().items():
            run(f"DELETE FROM {table} WHERE block = ?", (block,))  # noqa: S608 - our own names
            insert(self._connection, table, rows)

    def _bytes(self) -> int:
        def number(name: str) -> int:
            value: int = self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            return value

        return (number("page_count") - number("freelist_count")) * number("page_size")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        run = self._connection.execute
        run("BEGIN IMMEDIATE")
        try:
            yield
            run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                run("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        os.close(self._descriptor)
