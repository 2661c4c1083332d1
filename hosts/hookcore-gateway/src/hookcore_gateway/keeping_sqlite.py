"""Sessions in an SQLite database, which outlive their process however that ends."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from .errors import GatewayError
from .keeping import Kept, Place, Who
from .seldom import Seldom
from .shown import log_failure, shown

__all__ = ["SqliteKeeper"]

logger = logging.getLogger("hookcore")

_VERSION: Final = 1
_TABLE: Final = """CREATE TABLE IF NOT EXISTS sessions (
    who TEXT, agent TEXT, id TEXT NOT NULL, seen REAL NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (who, agent)
)"""
_T = TypeVar("_T")


class SqliteKeeper:
    """Keeps sessions in a database of this gateway's own; a thread does the writing.

    Args:
        file: the database; it is made, for its owner only, when it is not there.
        clock: tells the time in seconds since the epoch.
    """

    lasts = True

    def __init__(self, file: Path, clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._clock = clock
        self._database: sqlite3.Connection | None = None
        self._thread: ThreadPoolExecutor | None = None
        #: What was written last, so that nothing is written twice.
        self._written: dict[Place, int] = {}
        self._failures = Seldom()

    async def open(self, idle: float | None, most: int) -> None:
        """Open the database, and forget what is too old or too much.

        Raises:
            GatewayError: it cannot be opened, is no such database, or another gateway has it.
        """
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="hookcore-sessions")
        try:
            await self._do(self._open)
            self.prune(idle, most)
        except (OSError, sqlite3.Error, ValueError) as error:
            await self.close()
            raise GatewayError(
                f"sessions cannot be kept in {self._file}: {error}; give sessions_file= the path "
                "of a database that no other gateway uses"
            ) from error

    def _open(self) -> None:
        os.close(os.open(self._file, os.O_CREAT | os.O_RDWR, 0o600))
        self._database = sqlite3.connect(
            self._file, timeout=0, isolation_level=None, check_same_thread=False
        )
        # Held until the end: two gateways would write over each other's conversations.
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute("BEGIN EXCLUSIVE")
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if version not in {0, _VERSION}:
            raise ValueError(f"it is of version {version}, and this is version {_VERSION}")
        self._database.execute(_TABLE)
        self._database.execute(f"PRAGMA user_version = {_VERSION}")
        self._database.execute("COMMIT")

    async def load(self, place: Place) -> Kept | None:
        """Return a session, None when it is not kept or cannot be read."""
        try:
            return await self._do(lambda: self._load(place))
        except (sqlite3.Error, ValueError, RecursionError) as error:
            log_failure(logger, error, "a session of %s could not be read", shown(place[0][1]))
            return None

    def _load(self, place: Place) -> Kept | None:
        row = self._connection.execute(
            "SELECT id, data FROM sessions WHERE who = ? AND agent = ?", _key(place)
        ).fetchone()
        if row is None:
            return None
        data = json.loads(row[1])
        if not isinstance(data, dict):
            raise ValueError("a session's data is no JSON object")  # noqa: TRY004 - as for bad JSON
        return Kept(row[0], data)

    async def save(self, place: Place, session_id: str, data: Mapping[str, Any]) -> None:
        """Keep a session as it is now; a failure is in the log and costs nobody an answer."""
        try:
            text = json.dumps(data)
            mark = hash((session_id, text))
            if self._written.get(place) != mark:
                row = (*_key(place), session_id, self._clock(), text)
                await self._do(lambda: self._save(row))
                self._written[place] = mark
        except (sqlite3.Error, TypeError, ValueError, RecursionError) as error:
            # On a full disk it is every message.
            if (others := self._failures.due()) is not None:
                text = "session %s could not be kept (%d others since the last such line)"
                log_failure(logger, error, text, shown(session_id), others)

    def _save(self, row: tuple[Any, ...]) -> None:
        self._connection.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?)", row)

    def forget(self, place: Place) -> None:
        """Forget a session, which has ended."""
        self._written.pop(place, None)
        self._later("DELETE FROM sessions WHERE who = ? AND agent = ?", _key(place))

    def forget_all(self, who: Who) -> None:
        """Forget the sessions of a sender with all agents."""
        for place in [place for place in self._written if place[0] == who]:
            del self._written[place]
        self._later("DELETE FROM sessions WHERE who = ?", (json.dumps(who),))

    def prune(self, idle: float | None, most: int) -> None:
        """Forget what is too old or too much."""
        if idle is not None:
            self._later("DELETE FROM sessions WHERE seen < ?", (self._clock() - idle,))
        self._later(
            "DELETE FROM sessions WHERE rowid IN "
            "(SELECT rowid FROM sessions ORDER BY seen DESC LIMIT -1 OFFSET ?)",
            (most,),
        )

    async def close(self) -> None:
        """Finish what was asked for, and close the database."""
        thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.wrap_future(thread.submit(self._close))
            thread.shutdown(wait=False)

    def _close(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            with suppress(sqlite3.Error):
                database.close()

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._database is None:
            raise sqlite3.ProgrammingError("the database is closed")
        return self._database

    async def _do(self, work: Callable[[], _T]) -> _T:
        if self._thread is None:
            raise sqlite3.ProgrammingError("the database is closed")
        return await asyncio.wrap_future(self._thread.submit(work))

    def _later(self, statement: str, values: tuple[Any, ...]) -> None:
        if self._thread is not None:
            done = self._thread.submit(lambda: self._connection.execute(statement, values))
            done.add_done_callback(_logged)


def _logged(done: Future[Any]) -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        log_failure(logger, error, "ended sessions could not be forgotten")


def _key(place: Place) -> tuple[str, str]:
    who, agent = place
    return json.dumps(who), agent
