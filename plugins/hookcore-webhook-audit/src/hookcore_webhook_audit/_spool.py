"""Messages that wait on disk, for this process or the next one."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ._message import Message
from ._private import check_file, check_folder, make_file

__all__ = ["FILE_BYTES", "LEASE_SECONDS", "Spool"]

LEASE_SECONDS: Final = 60.0
"""Seconds that a message that is being sent is left alone by others; longer than any attempt."""
_LOCK_SECONDS: Final = 2.0
_AT_ONCE: Final = 64
_ROW_BYTES: Final = 512
"""Bytes that a message takes in the file besides its body, generously."""
FILE_BYTES: Final = 64 * 1024
"""Bytes that the file takes besides its messages."""
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS messages (
    id TEXT PRIMARY KEY, at INTEGER NOT NULL, body BLOB NOT NULL,
    attempts INTEGER NOT NULL, leased REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS by_age ON messages (at);
"""


class Spool:
    """A file that several processes may share; it is opened for each change, and bounded.

    Every method raises OSError or sqlite3.Error when the file cannot be used, or may be another's.

    Args:
        file: the file; it and its folder are made when they are needed, closed to others.
        limit: how many bytes it may have.
    """

    def __init__(self, file: Path, limit: int) -> None:
        self.file = file
        self._limit = limit

    def add(self, messages: Sequence[Message]) -> int:
        """Keep messages, and let go of the oldest ones where there is no room.

        Args:
            messages: they are kept once, however often they are added.

        Returns:
            How many messages were dropped.
        """
        # More than there is room for would drop what came before, and then itself.
        messages, dropped = self._newest(messages)
        with self._open() as db:
            dropped += _make_room(db, self._limit - sum(map(_bytes, messages)))
            db.executemany(
                "INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?, 0)",
                [(each.id, each.at, each.body, each.attempts) for each in messages],
            )
        return dropped

    def _newest(self, messages: Sequence[Message]) -> tuple[Sequence[Message], int]:
        if not messages:
            return messages, 0
        # The newest one may have it all, but for what the file needs for itself.
        room = max(self._limit // 2, min(_bytes(messages[-1]), self._limit - FILE_BYTES))
        for number, each in enumerate(reversed(messages)):
            room -= _bytes(each)
            if room < 0:
                return messages[len(messages) - number :], len(messages) - number
        return messages, 0

    def take(self) -> Message | None:
        """Return the oldest message that nobody is sending, and keep others from it meanwhile."""
        if not self.file.exists():
            return None
        with self._open() as db:
            now = time.time()  # only now: others may have taken messages while this one waited
            # A lease from the far future was given by a clock that has been set back since.
            row = db.execute(
                "SELECT id, at, body, attempts FROM messages "
                "WHERE leased < ? OR leased > ? ORDER BY at LIMIT 1",
                (now, now + 2 * LEASE_SECONDS),
            ).fetchone()
            if row is None:
                return None
            lease = (now + LEASE_SECONDS, row[0])
            db.execute("UPDATE messages SET leased = ? WHERE id = ?", lease)
        return Message(*row)

    def remove(self, ident: str) -> None:
        """Let go of a message, if it is there."""
        if self.file.exists():
            with self._open() as db:
                db.execute("DELETE FROM messages WHERE id = ?", (ident,))

    def put_back(self, ident: str) -> None:
        """Count an attempt in vain, and leave the message to whoever tries next."""
        with self._open() as db:
            change = "UPDATE messages SET attempts = attempts + 1, leased = 0 WHERE id = ?"
            db.execute(change, (ident,))

    def count(self) -> int:
        """Return how many messages wait."""
        if not self.file.exists():
            return 0
        with self._open() as db:
            return int(db.execute("SELECT count(*) FROM messages").fetchone()[0])

    def check(self) -> None:
        """Check, and change nothing, that the file and its folder are nobody else's to write.

        Raises:
            PlaceError: they are not; the text says what to do.
            OSError: they cannot be looked at.
        """
        with contextlib.suppress(FileNotFoundError):
            check_folder(self.file.parent)
            check_file(self.file)

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        make_file(self.file)
        with contextlib.closing(
            sqlite3.connect(self.file, timeout=_LOCK_SECONDS, isolation_level=None)
        ) as db:
            db.executescript(_TABLE)
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.rollback()
                raise
            db.commit()


def _bytes(message: Message) -> int:
    return len(message.body) + _ROW_BYTES


def _make_room(db: sqlite3.Connection, allowed: int) -> int:
    dropped = 0
    while _used(db) > allowed:
        gone = db.execute(
            "DELETE FROM messages WHERE id IN (SELECT id FROM messages ORDER BY at LIMIT ?)",
            (_AT_ONCE,),
        ).rowcount
        if gone <= 0:
            break
        dropped += gone
    return dropped


def _used(db: sqlite3.Connection) -> int:
    names = ("page_count", "freelist_count", "page_size")
    pages, free, size = (int(db.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    return (pages - free) * size
