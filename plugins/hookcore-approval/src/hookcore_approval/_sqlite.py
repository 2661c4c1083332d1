"""Requests in a file that the processes of one machine share."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, Final

from hookcore_stores import SqliteStore, state_file

from ._rules import KEPT_S, TooManyError, decided, expired, vote
from .requests import Claim, Decided, Draft, Request, Verdict

if TYPE_CHECKING:
    import sqlite3

    from .settings import ApprovalSettings

__all__ = ["SqliteRequests"]

_SCHEMA: Final = [
    """CREATE TABLE requests (
        id TEXT PRIMARY KEY, binding TEXT NOT NULL, digest TEXT NOT NULL, scope TEXT NOT NULL,
        tool TEXT NOT NULL, shown TEXT NOT NULL, asker TEXT NOT NULL, needed INTEGER NOT NULL,
        state TEXT NOT NULL, created REAL NOT NULL, expires REAL NOT NULL, by TEXT NOT NULL)""",
    "CREATE INDEX by_binding ON requests (binding, expires)",
    "CREATE INDEX by_state ON requests (state, expires)",
    "CREATE INDEX by_age ON requests (created)",
]
_FIELDS: Final = "id, digest, scope, tool, shown, asker, needed, state, created, expires, by"


class SqliteRequests:
    """Keeps requests in a file; what was taken stays taken when the machine loses its power.

    Args:
        settings: where the file is, and how long requests live.
    """

    def __init__(self, settings: ApprovalSettings) -> None:
        self._expires_s = settings.expires_s
        self._take_within_s = settings.take_within_s
        self._max_pending = settings.max_pending
        self._store = SqliteStore(state_file(settings.path), _SCHEMA, name="sqlite", durable=True)

    def claim(self, draft: Draft, *, make: bool) -> Claim:
        """Take an approval of the call, tell of the request for it, or make one.

        Raises:
            StoreAwayError: the file has no answer.
            TooManyError: too many requests wait.
        """
        with self._store.transaction() as db:
            now = self._store.now(db)
            found = db.execute(
                "SELECT id, state, by FROM requests WHERE binding = ? AND expires > ?"
                " AND state != 'taken' ORDER BY created DESC LIMIT 1",
                (draft.binding, now),
            ).fetchone()
            if found is None:
                return Claim("pending", self._make(db, draft, now), new=True) if make else _GONE
            ident, state, by = found
            if state == "approved":
                db.execute("UPDATE requests SET state = 'taken' WHERE id = ?", (ident,))
                state = "taken"
            return Claim(state, ident, () if by == "[]" else tuple(json.loads(by)))

    def _make(self, db: sqlite3.Connection, draft: Draft, now: float) -> str:
        db.execute("DELETE FROM requests WHERE created < ?", (now - KEPT_S,))
        (pending,) = db.execute(
            "SELECT count(*) FROM requests WHERE state = 'pending' AND expires > ?", (now,)
        ).fetchone()
        if pending >= self._max_pending:
            raise TooManyError(pending)
        ident = secrets.token_hex(8)
        values = (ident, draft.binding, draft.digest, draft.scope, draft.tool, draft.shown)
        more = (draft.asker, draft.needed, "pending", now, now + self._expires_s, "[]")
        db.execute(f"INSERT INTO requests VALUES ({','.join('?' * 12)})", (*values, *more))  # noqa: S608 - our own text
        return ident

    def decide(self, ident: str, digest: str, verdict: Verdict, by: str) -> Decided:
        """Decide a request, which must be pending and of this digest.

        Raises:
            StoreAwayError: the file has no answer.
        """
        with self._store.transaction() as db:
            now = self._store.now(db)
            request = self._find(db, ident, now)
            refused = decided(request, digest, by)
            if refused is not None or request is None:
                return refused or Decided(counted=False, state=None)
            state, people = vote(request, verdict, by)
            expires = now + self._take_within_s if state == "approved" else request.expires
            db.execute(
                "UPDATE requests SET state = ?, expires = ?, by = ? WHERE id = ?",
                (state, expires, json.dumps(people), ident),
            )
            return Decided(counted=True, state=state)

    def find(self, ident: str) -> Request | None:
        """Return a request; None when there is none, or none any more.

        Raises:
            StoreAwayError: the file has no answer.
        """
        with self._store.transaction() as db:
            return self._find(db, ident, self._store.now(db))

    def _find(self, db: sqlite3.Connection, ident: str, now: float) -> Request | None:
        row = db.execute(f"SELECT {_FIELDS} FROM requests WHERE id = ?", (ident,)).fetchone()  # noqa: S608 - our own text
        return None if row is None else expired(_request(row), now)

    def listed(self, *, pending: bool) -> list[Request]:
        """Return the requests that are pending, or all of the last days, the oldest first.

        Raises:
            StoreAwayError: the file has no answer.
        """
        with self._store.transaction() as db:
            now = self._store.now(db)
            where = "WHERE state = 'pending' AND expires > ?" if pending else "WHERE ? > 0"
            rows = db.execute(f"SELECT {_FIELDS} FROM requests {where} ORDER BY created", (now,))  # noqa: S608 - our own text
            return [expired(_request(row), now) for row in rows]

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._store.close()


_GONE: Final = Claim("expired")


def _request(row: tuple[Any, ...]) -> Request:
    names = _FIELDS.split(", ")
    return Request(**dict(zip(names, row, strict=True)) | {"by": tuple(json.loads(row[-1]))})
