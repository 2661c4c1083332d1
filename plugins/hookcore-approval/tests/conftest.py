"""Stores of requests, on a file and on a real Redis server, and a host that makes calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookAborted, HookManager
from hookcore_approval import Approval, ApprovalSettings
from hookcore_approval._stores import requests_of
from hookcore_approval.requests import Requests
from hookcore_stores.testing import redis_servers

__all__ = ["redis_servers"]

Settings = Callable[..., ApprovalSettings]
URL = "APPROVAL_TEST_REDIS"


@pytest.fixture(params=["sqlite", "redis"])
def store(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


@pytest.fixture
def settings(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    """Make settings for the store of the test: the parametrised one, or a file."""
    kind = "sqlite"
    if "store" in request.fixturenames:
        kind = request.getfixturevalue("store")
    if kind == "redis":
        server = request.getfixturevalue("redis_servers")("--appendonly", "yes")
        monkeypatch.setenv(URL, server.url)
        place: dict[str, Any] = {"store": "redis", "url_env": URL, "timeout_ms": 5000}
    else:
        place = {"path": tmp_path / "own" / "approvals.sqlite3"}

    def make(**options: Any) -> ApprovalSettings:
        return ApprovalSettings(**{"tools": ["pay*"], "terminal": False, **place, **options})

    return make


@pytest.fixture
def requests(settings: Settings) -> Iterator[Requests]:
    made = requests_of(settings())
    yield made
    made.close()


class Host:
    """A manager with the policy, which makes calls as a session and is told what became of them."""

    def __init__(self, settings: ApprovalSettings) -> None:
        self.plugin = Approval(settings)
        self.requests = requests_of(settings)
        self.manager = HookManager()
        self.manager.register(self.plugin, name="approval")
        self.ran: list[Any] = []

    def call(self, arguments: Any = None, tool: str = "pay", **fields: Any) -> str:
        """Return "ran", or the reason why not."""
        given = {"to": "bob", "amount": 10} if arguments is None else arguments
        fields.setdefault("session_id", "s1")
        try:
            self.manager.call_tool(tool, given, self.ran.append, **fields)
        except HookAborted as denied:
            return denied.reason
        return "ran"

    def decide(self, verdict: Any = "approved", by: str = "ann") -> str:
        """Decide the newest request, and return its id."""
        request = self.requests.listed(pending=True)[-1]
        assert self.requests.decide(request.id, request.digest, verdict, by).counted
        return request.id

    def pending(self) -> list[str]:
        return [request.id for request in self.requests.listed(pending=True)]

    def close(self) -> None:
        self.plugin.close()
        self.requests.close()


@pytest.fixture
def host_of() -> Iterator[Callable[[ApprovalSettings], Host]]:
    """Make a host with settings."""
    made: list[Host] = []

    def make(settings: ApprovalSettings) -> Host:
        made.append(Host(settings))
        return made[-1]

    yield make
    for host in made:
        host.close()


@pytest.fixture
def make_host(
    settings: Settings, host_of: Callable[[ApprovalSettings], Host]
) -> Callable[..., Host]:
    """Make a host whose store is that of the test."""
    return lambda **options: host_of(settings(**options))


@pytest.fixture
def host(make_host: Callable[..., Host]) -> Host:
    return make_host()
