"""State in a file that the processes of one machine share."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from .away import Breaker, StoreAwayError, StoreSettingsError, renewed_in_children
from .places import make_private_file

__all__ = ["SqliteStore"]

_CLOCK: Final = "CREATE TABLE hookcore_clock (seen REAL NOT NULL)"
_inherited: Final[list[sqlite3.Connection]] = []
"""Connections of the process that this one was forked from, which only that may use or close."""


class SqliteStore:
    """Keeps tables in one file, which is opened when it is first asked.

    Args:
        file: the file; it and its folder are made when they are not there, closed to others.
        schema: the statements that make the tables in a new file.
        name: the store's name in errors.
        version: a number to raise when the schema changes; a file of another version is refused.
        busy_s: seconds to wait for other threads, and again for other processes, at the most.
        retry_after_s: seconds for which the file is left alone after a failure.
        durable: whether a transaction is also kept when the machine loses its power, which takes
            a few milliseconds each time; otherwise the last ones may be lost then.
    """

    def __init__(
        self,
        file: Path,
        schema: Sequence[str],
        *,
        name: str = "sqlite",
        version: int = 1,
        busy_s: float = 2.0,
        retry_after_s: float = 1.0,
        durable: bool = False,
    ) -> None:
        self.file = file
        self._schema = tuple(schema)
        self._version = version
        self._busy_s = busy_s
        self._synchronous = "FULL" if durable else "NORMAL"
        self._breaker = Breaker(name, retry_after_s)
        self._opened: list[sqlite3.Connection] = []
        self._inode = (0, 0)
        self._seen = self._kept = 0.0
        self._lock = threading.Lock()
        renewed_in_children(self._renew)
        weakref.finalize(self, _close, self._opened)

    def _renew(self) -> None:
        _inherited.extend(self._opened)
        self._opened.clear()
        self._lock = threading.Lock()

    @property
    def is_away(self) -> bool:
        """True when the file failed last, and has not answered since."""
        return self._breaker.is_open

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a block that no other transaction on the file overlaps, and keep what it did.

        What the block raises undoes it. A transaction within a transaction waits for itself.

        Yields:
            The connection, for the block only.

        Raises:
            StoreAwayError: the file cannot be used, or stays locked by others.
        """
        self._breaker.check()
        lock = self._lock
        if not lock.acquire(timeout=self._busy_s):
            raise self._breaker.failed("TimeoutError")
        try:
            db = self._begun()
            self._breaker.answered()
            try:
                yield db
                db.execute("COMMIT")
            except BaseException as problem:
                with contextlib.suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                if isinstance(problem, sqlite3.Error):
                    raise self._away(problem) from None
                raise
        finally:
            lock.release()

    def now(self, db: sqlite3.Connection) -> float:
        """Return the time in seconds since 1970, which never goes back for any process.

        While a clock is set back it stands still: what was counted in a window is not forgotten.

        Args:
            db: the connection of the transaction.
        """
        self._seen = now = max(self._seen, time.time())
        if now >= self._kept + 1.0:
            (kept,) = db.execute("SELECT max(seen) FROM hookcore_clock").fetchone()
            self._seen = self._kept = now = max(now, kept)
            db.execute("UPDATE hookcore_clock SET seen = ?", (now,))
        return now

    def close(self) -> None:
        """Close the file; the next transaction opens it again."""
        with self._lock:
            _close(self._opened)

    def _begun(self) -> sqlite3.Connection:
        try:
            db = self._connection()
            db.execute("BEGIN IMMEDIATE")
        except (sqlite3.Error, OSError, StoreSettingsError) as problem:
            raise self._away(problem) from None
        return db

    def _away(self, problem: Exception) -> StoreAwayError:
        if isinstance(problem, StoreSettingsError):
            why = str(problem)
        else:
            why = getattr(problem, "sqlite_errorname", type(problem).__name__)
        if not (isinstance(problem, sqlite3.OperationalError) and "locked" in str(problem)):
            _close(self._opened)  # what is wrong may be over with another connection
        return self._breaker.failed(why)

    def _connection(self) -> sqlite3.Connection:
        if self._opened:
            with contextlib.suppress(OSError):
                if _inode(self.file) == self._inode:
                    return self._opened[0]
            # Somebody moved the file away: what is written to it now, others do not see.
            _close(self._opened)
        make_private_file(self.file)
        self._inode = _inode(self.file)
        self._seen = self._kept = 0.0
        db = sqlite3.connect(
            self.file, timeout=self._busy_s, isolation_level=None, check_same_thread=False
        )
        self._opened.append(db)
        self._write_ahead(db)
        db.execute(f"PRAGMA synchronous = {self._synchronous}")
        if _version(db) != self._version:
            self._make_tables(db)
        return db

    def _write_ahead(self, db: sqlite3.Connection) -> None:
        # SQLite does not wait for others here, whatever the time-out says.
        deadline = time.monotonic() + self._busy_s
        while True:
            try:
                db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.005)
            else:
                return

    def _make_tables(self, db: sqlite3.Connection) -> None:
        db.execute("BEGIN IMMEDIATE")
        found = _version(db)  # another process may have been quicker
        if found == 0:
            for statement in (_CLOCK, *self._schema):
                db.execute(statement)
            db.execute("INSERT INTO hookcore_clock VALUES (0)")
            db.execute(f"PRAGMA user_version = {self._version}")
        db.execute("COMMIT")
        if found not in (0, self._version):
            raise StoreSettingsError(
                f"{self.file} is of version {found}, and this release reads {self._version}: "
                "move it away"
            )


def _version(db: sqlite3.Connection) -> int:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return version


def _inode(file: Path) -> tuple[int, int]:
    found = os.stat(file)  # noqa: PTH116 - once for each decision, and twice as fast
    return found.st_dev, found.st_ino


def _close(connections: list[sqlite3.Connection]) -> None:
    while connections:
        with contextlib.suppress(sqlite3.Error):
            connections.pop().close()
