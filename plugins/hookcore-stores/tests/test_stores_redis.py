"""One real server: bounded waits, faults told without secrets, replicas waited for."""

from __future__ import annotations

import re
import time

import pytest

from hookcore_stores import RedisStore, StoreAwayError, StoreSettingsError
from hookcore_stores.testing import RedisServer, StartServer

COUNT = "return redis.call('INCRBY', KEYS[1], ARGV[1])"
SLOW_S = 0.25
LATE_S = 2.9
"""Seconds that a wait may take on a busy machine, and that redis-py's own would be over."""


@pytest.fixture
def server(redis_servers: StartServer) -> RedisServer:
    return redis_servers()


def failure(store: RedisStore, script: str = COUNT) -> tuple[str, float]:
    """The error of a script, and the seconds that it took."""
    started = time.perf_counter()
    with pytest.raises(StoreAwayError) as caught:
        store.script(script)([store.key("n")], [1])
    return str(caught.value), time.perf_counter() - started


def test_a_script_gets_its_keys_and_arguments(server: RedisServer) -> None:
    store = RedisStore(server.url, prefix="test")
    count = store.script(COUNT)
    assert [count([store.key("a", "b")], [2]) for _ in range(3)] == [2, 4, 6]
    assert server.command("GET", "{test}:a:b") == "6"


def test_scripts_that_the_server_forgot_are_sent_again(server: RedisServer) -> None:
    store = RedisStore(server.url, prefix="test")
    count = store.script(COUNT)
    count([store.key("n")], [1])
    server.command("SCRIPT", "FLUSH")
    assert count([store.key("n")], [1]) == 2


def test_a_killed_server_is_away_at_once_and_back_when_it_is_started(server: RedisServer) -> None:
    store = RedisStore(server.url, prefix="test", retry_after_s=0.0)
    count = store.script(COUNT)
    count([store.key("n")], [1])
    server.kill()
    told, seconds = failure(store)
    assert re.fullmatch(r"redis: ConnectionError", told)
    assert seconds < SLOW_S
    assert store.is_away
    server.start()
    assert count([store.key("n")], [1]) == 1
    assert not store.is_away


def test_a_server_that_hangs_costs_one_call_its_time_out_and_the_next_ones_nothing(
    server: RedisServer,
) -> None:
    store = RedisStore(server.url, prefix="test", retry_after_s=60.0)
    store.script(COUNT)([store.key("n")], [1])
    server.stall()
    (told, first), (_, second) = failure(store), failure(store)
    server.go_on()
    assert told == "redis: TimeoutError"
    assert SLOW_S <= first < LATE_S
    assert second < 0.1


def test_time_outs_in_the_url_do_not_count(server: RedisServer) -> None:
    url = f"{server.url}?socket_timeout=60&socket_connect_timeout=60&decode_responses=True"
    store = RedisStore(url, prefix="test")
    server.stall()
    _, seconds = failure(store)
    server.go_on()
    assert seconds < LATE_S


def test_an_answer_that_came_too_late_is_nobody_elses(server: RedisServer) -> None:
    store = RedisStore(server.url, prefix="test", retry_after_s=0.0)
    count, name = store.script(COUNT), store.script("return 'another'")
    count([store.key("n")], [1])
    server.stall()
    failure(store)
    server.go_on()
    answers = []
    for _ in range(200):  # until it has woken up
        try:
            answers.append(name([], []))
            break
        except StoreAwayError:
            continue
    assert answers == [b"another"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("REPLICAOF", "127.0.0.1", "1"), "ReadOnlyError"),
        (("CONFIG", "SET", "maxmemory", "1"), "OutOfMemoryError"),
        (("CONFIG", "SET", "min-replicas-to-write", "1"), "ResponseError NOREPLICAS"),
        (("CONFIG", "SET", "requirepass", "x"), "AuthenticationError"),
    ],
)
def test_a_server_that_takes_no_changes_is_away(
    server: RedisServer, command: tuple[str, ...], told: str
) -> None:
    store = RedisStore(server.url, prefix="test")
    server.command(*command)
    assert failure(store)[0] == f"redis: {told}"


def test_an_error_of_the_script_is_told_by_its_kind_only(server: RedisServer) -> None:
    store = RedisStore(server.url, prefix="test")
    told, _ = failure(store, "return redis.call('GET')")
    assert "redis: ResponseError" in told
    assert "GET" not in told


def test_a_change_counts_when_its_replica_has_it(redis_servers: StartServer) -> None:
    primary = redis_servers()
    replica = redis_servers(replica_of=primary)
    store = RedisStore(primary.url, prefix="test", replicas=1, timeout_s=5.0)
    assert store.script(COUNT)([store.key("n")], [1]) == 1
    assert replica.command("GET", "{test}:n") == "1"


def test_a_change_without_its_replica_is_away(server: RedisServer) -> None:
    store = RedisStore(server.url, prefix="test", replicas=1, timeout_s=2.0)
    assert failure(store)[0] == "redis: 0 of 1 replicas have the change"
    assert store.is_away


def test_a_script_that_only_reads_waits_for_no_replica(server: RedisServer) -> None:
    store = RedisStore(server.url, prefix="test", replicas=1)
    read = store.script("return redis.call('GET', KEYS[1])", writes=False)
    assert read([store.key("n")], []) is None


def test_a_command_that_reads_has_its_answer(server: RedisServer) -> None:
    store = RedisStore(server.url, prefix="test")
    assert store.read("PING") in {True, b"PONG"}
    server.kill()
    with pytest.raises(StoreAwayError, match="ConnectionError"):
        store.read("PING")
    store.close()


def test_many_threads_find_a_connection_each(server: RedisServer) -> None:
    store = RedisStore(server.url, prefix="test", timeout_s=10.0)
    assert store._client.connection_pool.max_connections > 1000


def test_the_url_comes_from_the_environment(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_REDIS", server.url)
    store = RedisStore.from_env("TEST_REDIS", prefix="test")
    assert store.script(COUNT)([store.key("n")], [5]) == 5


def test_a_missing_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_REDIS", raising=False)
    with pytest.raises(StoreSettingsError, match=r"TEST_REDIS is not set: .* redis://"):
        RedisStore.from_env("TEST_REDIS", prefix="test")


@pytest.mark.parametrize(
    "url",
    [
        "http://me:hunter2@host",
        "redis://me:hunter2@host:port",
        "redis://me:hunter2@host?db=hunter2",
        "redis://me:hunter2@host?hunter2=1",
    ],
)
def test_a_bad_url_is_not_shown(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("redis")
    monkeypatch.setenv("TEST_REDIS", url)
    with pytest.raises(StoreSettingsError, match=r"^TEST_REDIS: this is no URL") as caught:
        RedisStore.from_env("TEST_REDIS", prefix="test")
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_without_redis_py_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(StoreSettingsError, match=r"pip install 'hookcore-stores\[redis\]'"):
        RedisStore("redis://host", prefix="test")
