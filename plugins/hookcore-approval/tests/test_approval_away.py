"""Servers that are killed, hang, are restarted, replicate: what cannot be known is denied."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore_approval import ApprovalSettings
from hookcore_stores.testing import RedisServer, StartServer

URL = "APPROVAL_TEST_REDIS"
Make = Callable[..., Any]


@pytest.fixture
def server(redis_servers: StartServer) -> RedisServer:
    return redis_servers("--appendonly", "yes", "--appendfsync", "always")


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch, host_of: Callable[[ApprovalSettings], Any]) -> Make:
    """Make a host on a server."""

    def make(server: RedisServer, **options: Any) -> Any:
        monkeypatch.setenv(URL, server.url)
        place = {"store": "redis", "url_env": URL, "terminal": False, "tools": ["pay"]}
        return host_of(ApprovalSettings(**{**place, **options}))

    return make


def test_a_killed_server_denies_and_keeps_what_waited(server: RedisServer, on: Make) -> None:
    host = on(server)
    host.call()
    (ident,) = host.pending()
    host.close()
    server.kill()
    assert host.call().startswith("approval: the store is away (redis: ConnectionError")
    server.start()
    after = on(server)
    assert after.pending() == [ident]
    after.decide()
    assert after.call() == "ran"
    assert after.call().endswith("waits for a person")


def test_what_was_taken_stays_taken_when_the_server_is_killed(
    server: RedisServer, on: Make
) -> None:
    host = on(server)
    host.call()
    host.decide()
    assert host.call() == "ran"
    server.kill()
    server.start()
    assert on(server).call().endswith("waits for a person")


def test_a_server_that_hangs_denies(server: RedisServer, on: Make) -> None:
    host = on(server, timeout_ms=50)
    host.call()
    host.decide()
    server.stall()
    assert host.call().startswith("approval: the store is away (redis: TimeoutError")
    server.go_on()
    assert host.ran == []


def test_a_server_that_became_a_replica_denies(server: RedisServer, on: Make) -> None:
    host = on(server)
    host.call()
    host.decide()
    server.command("REPLICAOF", "127.0.0.1", "1")
    assert "ReadOnlyError" in host.call()
    assert host.ran == []


def test_an_approval_that_no_replica_has_is_not_used(server: RedisServer, on: Make) -> None:
    plain = on(server)
    plain.call()
    plain.decide()
    assert "0 of 1 replicas have the change" in on(server, replicas=1).call()
    assert plain.call() != "ran"  # it was taken all the same, which is the safe side


def test_a_promoted_replica_goes_on_with_what_it_was_given(
    server: RedisServer, redis_servers: StartServer, on: Make
) -> None:
    replica = redis_servers(replica_of=server)
    host = on(server, replicas=1, timeout_ms=5000)
    host.call()
    host.decide()
    assert host.call() == "ran"
    server.kill()
    replica.command("REPLICAOF", "NO", "ONE")
    after = on(replica)
    assert after.call().endswith("waits for a person")
    assert [each.state for each in after.requests.listed(pending=False)] == ["taken", "pending"]


def test_a_server_that_has_lost_its_replica_takes_none_where_it_is_set_up_so(
    server: RedisServer, on: Make
) -> None:
    host = on(server)
    host.call()
    host.decide()
    server.command("CONFIG", "SET", "min-replicas-to-write", "1")
    assert "NOREPLICAS" in host.call()
    assert host.ran == []


def test_two_sides_of_a_split_know_nothing_of_each_other(
    server: RedisServer, redis_servers: StartServer, on: Make
) -> None:
    replica = redis_servers(replica_of=server)
    host = on(server, replicas=1, timeout_ms=5000)
    host.call()
    host.decide()
    replica.command("REPLICAOF", "NO", "ONE")
    careful = on(server, replicas=1)
    assert "0 of 1 replicas have the change" in careful.call()
    assert on(replica).call() == "ran"  # the one side that goes on has what was decided


def test_scripts_that_the_server_forgot_are_sent_again(server: RedisServer, on: Make) -> None:
    host = on(server)
    host.call()
    server.command("SCRIPT", "FLUSH")
    host.decide()
    assert host.call() == "ran"


def test_fleets_with_prefixes_of_their_own_share_no_requests(server: RedisServer, on: Make) -> None:
    one, other = on(server, prefix="one"), on(server, prefix="other")
    one.call()
    assert len(one.pending()) == 1
    assert other.pending() == []
    one.decide()
    assert other.call().endswith("waits for a person")
    assert one.call() == "ran"


def test_a_server_that_is_full_denies(server: RedisServer, on: Make) -> None:
    host = on(server)
    host.call()
    host.decide()
    server.command("CONFIG", "SET", "maxmemory", "1")
    assert "OutOfMemoryError" in host.call()
    assert host.ran == []


def test_a_file_that_another_process_keeps_locked_denies(
    tmp_path: Path, host_of: Callable[[ApprovalSettings], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own" / "approvals.sqlite3"
    host = host_of(ApprovalSettings(tools=["pay"], terminal=False, path=file))
    host.call()
    host.decide()
    host.plugin._requests._store._busy_s = 0.01
    host.plugin.close()  # opened again, it waits for others no longer than that
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert host.call().startswith("approval: the store is away (sqlite: ")
    other.close()
    assert host.ran == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_disk_that_is_full_denies_and_keeps_what_there_is(
    tmp_path: Path, host_of: Callable[[ApprovalSettings], Any]
) -> None:
    import resource

    file = tmp_path / "own" / "approvals.sqlite3"
    host = host_of(ApprovalSettings(tools=["pay"], terminal=False, path=file))
    host.call()
    host.decide()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        told = host.call()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert told.startswith("approval: the store is away (sqlite: ")
    assert host.ran == []
    host.plugin._requests._store._breaker.answered()  # without its pause
    assert host.call() == "ran"
