"""State that policies of many processes share, asked in bounded time.

A :class:`SqliteStore` is a file for the processes of one machine, a :class:`RedisStore` a server
for those of many. Either answers within its time-out or raises :class:`StoreAwayError`, and after a
failure it does so at once for ``retry_after_s``: a policy then denies, or what its settings say.

One decision is one transaction or one script, so that no two processes can both take the last one:

    from hookcore_stores import RedisStore, SqliteStore, state_file

    file = SqliteStore(state_file("my-policy.sqlite3"), ["CREATE TABLE taken (id TEXT UNIQUE)"])
    with file.transaction() as db:
        first = db.execute("INSERT OR IGNORE INTO taken VALUES (?)", [key]).rowcount == 1

    server = RedisStore.from_env("HOOKCORE_REDIS_URL", prefix="my-policy")
    take = server.script("return redis.call('SET', KEYS[1], 1, 'NX', 'PX', ARGV[1])")
    first = take([server.key(key)], [60_000]) is not None

Scripts ask Redis for the time (``redis.call('TIME')``), transactions ask ``file.now(db)``: what the
clocks of the machines say does not count. Both stores may be used from any thread, and by the
children of a fork.

:mod:`hookcore_stores.testing` starts, replicates and kills real Redis servers for tests.
"""

from __future__ import annotations

from .away import Breaker, StoreAwayError, StoreSettingsError, renewed_in_children
from .places import state_file
from .redis import RedisStore, Script
from .sqlite import SqliteStore

__all__ = [
    "Breaker",
    "RedisStore",
    "Script",
    "SqliteStore",
    "StoreAwayError",
    "StoreSettingsError",
    "renewed_in_children",
    "state_file",
]
