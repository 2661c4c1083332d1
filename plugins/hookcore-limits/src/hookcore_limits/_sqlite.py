"""Counts that the processes of one machine share."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hookcore_stores import SqliteStore

from ._counts import Hit, Rate, Reserved, Share, Store, is_reached, wait_until_free

__all__ = ["FileStore"]

_RATES: Final = """CREATE TABLE rates (
    key TEXT, number INTEGER, count INTEGER, until REAL, PRIMARY KEY (key, number)
) WITHOUT ROWID"""
_BUDGETS: Final = """CREATE TABLE budgets (
    key TEXT PRIMARY KEY, period INTEGER, spent INTEGER, held INTEGER, asked REAL
) WITHOUT ROWID"""
_HOLDS: Final = "CREATE TABLE holds (ident TEXT PRIMARY KEY, shares TEXT, until REAL) WITHOUT ROWID"
_SCHEMA: Final = (
    _RATES,
    "CREATE INDEX rates_until ON rates (until)",
    _BUDGETS,
    "CREATE INDEX budgets_asked ON budgets (asked)",
    _HOLDS,
    "CREATE INDEX holds_until ON holds (until)",
)
_COUNTED: Final = "SELECT number, count FROM rates WHERE key = ? AND number >= ?"
_COUNT: Final = (
    "INSERT INTO rates VALUES (?, ?, 1, ?) "
    "ON CONFLICT (key, number) DO UPDATE SET count = count + 1"
)
_PUT: Final = (
    "INSERT INTO budgets VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
    "period = excluded.period, spent = excluded.spent, held = excluded.held, asked = excluded.asked"
)
_AT_ONCE: Final = 20
_SWEEP: Final = 256


class FileStore(Store):
    """Counts in a SQLite file.

    Args:
        file: the file.
        ttl_s: seconds that a reservation holds.
        keep_s: seconds after which an unused budget is forgotten.
        charges: whether a reservation that outlives its time is spent.
        retry_after_s: seconds for which a file that failed is left alone.
    """

    def __init__(
        self, file: Path, *, ttl_s: float, keep_s: float, charges: bool, retry_after_s: float
    ) -> None:
        self._file = SqliteStore(file, _SCHEMA, retry_after_s=retry_after_s)
        self._ttl_s = ttl_s
        self._keep_s = keep_s
        self._charges = charges
        self._calls = 0

    def count(self, rates: Sequence[Rate]) -> Hit | None:
        """Count a call at all rates, or at none."""
        with self._file.transaction() as db:
            now = self._file.now(db)
            rows = []
            for index, rate in enumerate(rates):
                number, gone_s = int(now // rate.seconds), now % rate.seconds
                found = dict(db.execute(_COUNTED, (rate.key, number - 1)))
                before, current = found.get(number - 1, 0), found.get(number, 0)
                if is_reached(rate, before, current, gone_s):
                    return Hit(index, wait_until_free(rate, before, current, gone_s))
                rows.append((rate.key, number, now + 2 * rate.seconds))
            for row in rows:
                db.execute(_COUNT, row)
            self._sweep(db, now)
        return None

    def reserve(self, ident: str, shares: Sequence[Share]) -> Reserved:
        """Hold parts of budgets, all or none."""
        with self._file.transaction() as db:
            now = self._file.now(db)
            if db.execute("SELECT 1 FROM holds WHERE ident = ?", (ident,)).fetchone():
                return Reserved(None, 0, 0, ())
            self._expire(db, now)
            found = [_budget(db, share, now) for share in shares]
            for index, (share, (_, spent, held)) in enumerate(zip(shares, found, strict=True)):
                if share.amount and spent + held + share.amount > share.cap:
                    return Reserved(index, spent, held, (), share.cap)
            for share, (period, spent, held) in zip(shares, found, strict=True):
                db.execute(_PUT, (share.key, period, spent, held + share.amount, now))
            row = (ident, json.dumps(shares), now + self._ttl_s)
            db.execute("INSERT INTO holds VALUES (?, ?, ?)", row)
            self._sweep(db, now)
        used = tuple(
            spent + held + share.amount
            for share, (_, spent, held) in zip(shares, found, strict=True)
        )
        return Reserved(None, 0, 0, used)

    def settle(self, ident: str, amounts: Sequence[int]) -> bool:
        """Spend these amounts in the place of a reservation."""
        with self._file.transaction() as db:
            return _settle(db, ident, amounts, self._file.now(db))

    def charge(self, shares: Sequence[Share]) -> bool:
        """Spend parts of budgets that nothing was held of."""
        with self._file.transaction() as db:
            now = self._file.now(db)
            for share in shares:
                period, spent, held = _budget(db, share, now)
                db.execute(_PUT, (share.key, period, spent + share.amount, held, now))
        return True

    def close(self) -> None:
        """Close the file; the next question opens it again."""
        self._file.close()

    def _expire(self, db: sqlite3.Connection, now: float) -> None:
        query = "SELECT ident, shares FROM holds WHERE until <= ? ORDER BY until LIMIT ?"
        for ident, text in db.execute(query, (now, _AT_ONCE)).fetchall():
            shares = [Share(*each) for each in json.loads(text)]
            _settle(db, ident, [share.amount if self._charges else 0 for share in shares], now)

    def _sweep(self, db: sqlite3.Connection, now: float) -> None:
        self._calls += 1
        if self._calls % _SWEEP:
            return
        self._expire(db, now)
        db.execute("DELETE FROM rates WHERE until < ?", (now,))
        gone = (now - self._keep_s,)
        db.execute("DELETE FROM budgets WHERE asked < ? AND held = 0", gone)


def _budget(db: sqlite3.Connection, share: Share, now: float) -> tuple[int, int, int]:
    """Return a budget's period, what is spent in it, and what is held."""
    period = int(now // share.seconds) if share.seconds else 0
    query = "SELECT period, spent, held FROM budgets WHERE key = ?"
    found: tuple[int, int, int] | None = db.execute(query, (share.key,)).fetchone()
    if found is None:
        return period, 0, 0
    if found[0] < period:
        return period, 0, found[2]
    return found


def _settle(db: sqlite3.Connection, ident: str, amounts: Sequence[int], now: float) -> bool:
    row = db.execute("SELECT shares FROM holds WHERE ident = ?", (ident,)).fetchone()
    if row is None:
        return False
    db.execute("DELETE FROM holds WHERE ident = ?", (ident,))
    for each, amount in zip(json.loads(row[0]), amounts, strict=True):
        share = Share(*each)
        period, spent, held = _budget(db, share, now)
        left = max(0, held - share.amount)
        db.execute(_PUT, (share.key, period, spent + amount, left, now))
    return True
