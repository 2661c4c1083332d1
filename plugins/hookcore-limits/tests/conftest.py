"""Stores of each kind, and managers under limits that count there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_limits import Limits, LimitsSettings
from hookcore_limits._counts import Store
from hookcore_limits._memory import MemoryStore
from hookcore_limits._redis import ServerStore
from hookcore_limits._sqlite import FileStore
from hookcore_stores import RedisStore
from hookcore_stores.testing import RedisServer, StartServer, redis_servers

__all__ = ["MakeStore", "Place", "make_store", "place", "redis_servers"]

KINDS = ("memory", "sqlite", "redis")
MakeStore = Callable[..., Store]
OPTIONS: dict[str, Any] = {"ttl_s": 600.0, "keep_s": 86_400.0, "charges": True}


@pytest.fixture(params=KINDS)
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    """Make stores of one kind, which share what they count where the kind does."""
    made: list[Store] = []
    kind = request.param
    server = _server(request) if kind == "redis" else None

    def make(**changed: Any) -> Store:
        options = {**OPTIONS, **changed}
        if server is not None:
            store: Store = ServerStore(
                RedisStore(server.url, prefix="test", timeout_s=10.0), **options
            )
        elif kind == "sqlite":
            file = tmp_path / "own" / "limits.sqlite3"
            store = FileStore(file, retry_after_s=0.0, **options)
        else:
            store = MemoryStore(**options)
        made.append(store)
        return store

    yield make
    for store in made:
        store.close()


def _server(request: pytest.FixtureRequest) -> RedisServer:
    start: StartServer = request.getfixturevalue("redis_servers")
    return start()


class Place:
    """Managers that one policy governs, as several processes would have them."""

    def __init__(self, kind: str, folder: Path, server: RedisServer | None) -> None:
        self.kind = kind
        self.server = server
        self._folder = folder
        self._made: list[Limits] = []

    def settings(self, **given: Any) -> dict[str, Any]:
        """Settings for this kind of store."""
        own: dict[str, Any] = {"store": self.kind}
        if self.kind == "sqlite":
            own["path"] = str(self._folder / "own" / "limits.sqlite3")
        if self.kind == "redis":
            own["timeout_ms"] = 10_000
        return {**own, **given}

    def limits(self, **given: Any) -> Limits:
        """Make the policy."""
        limits = Limits(LimitsSettings.model_validate(self.settings(**given)))
        self._made.append(limits)
        return limits

    def manager(self, **given: Any) -> HookManager:
        """Make a manager under the policy."""
        manager = HookManager()
        manager.register(self.limits(**given), "limits")
        return manager

    def close(self) -> None:
        """Let go of all connections."""
        for limits in self._made:
            limits.close()


@pytest.fixture(params=KINDS)
def place(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Place]:
    """Make managers that count in a store of one kind."""
    server = _server(request) if request.param == "redis" else None
    if server is not None:
        monkeypatch.setenv("HOOKCORE_REDIS_URL", server.url)
    place = Place(request.param, tmp_path, server)
    yield place
    place.close()
