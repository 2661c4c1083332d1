"""Eight processes at once, killed processes, and servers that fail over or split."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hookcore import ModelResponse
from hookcore_limits._counts import Rate, Share
from hookcore_limits._redis import ServerStore
from hookcore_stores import RedisStore, StoreAwayError
from hookcore_stores.testing import RedisServer, StartServer

# The test's folder has no name that another process could import from.
PROGRAM = (
    Path(__file__).with_name("attacker.py").read_text(encoding="utf-8")
    + """
import os
os.environ.update(environ)
attack(pipe, kind, calls, settings)
"""
)
# Each is a process of its own, forked by one that has imported the plugin already.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["hookcore_limits._redis", "hookcore_limits._sqlite"])
PROCESSES, CALLS = 8, 500
SHARED = pytest.mark.parametrize("place", ["sqlite", "redis"], indirect=True)
OFTEN = Rate("calls", 10**6, 3600)


def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds; only a test that fails takes long."""
    pause = threading.Event()
    for _ in range(3000):
        if condition():
            return
        pause.wait(0.02)
    raise AssertionError("what was waited for never came")


class Attackers:
    """Processes that begin together."""

    def __init__(self) -> None:
        self._processes: list[Any] = []
        self._pipes: list[Any] = []

    def start(self, kind: str, settings: dict[str, Any], processes: int = PROCESSES) -> None:
        """Start processes, and wait until all are ready."""
        given = {"kind": kind, "calls": CALLS, "settings": settings, "environ": dict(os.environ)}
        for _ in range(processes):
            pipe, end = FORKS.Pipe()
            names = {**given, "__name__": "attacker", "pipe": end}
            process = FORKS.Process(target=exec, args=(PROGRAM, names))
            process.start()
            end.close()
            self._processes.append(process)
            self._pipes.append(pipe)
        assert self.told() == ["ready"] * processes
        for pipe in self._pipes:
            pipe.send("go")

    def told(self) -> list[Any]:
        """Return one thing that each process tells."""
        return [pipe.recv() for pipe in self._pipes]

    def kill(self) -> None:
        """Kill those that still run."""
        for process, pipe in zip(self._processes, self._pipes, strict=True):
            process.kill()
            process.join()
            pipe.close()
        self._processes, self._pipes = [], []


@pytest.fixture
def attackers() -> Iterator[Attackers]:
    attackers = Attackers()
    yield attackers
    attackers.kill()


@SHARED
def test_eight_processes_make_exactly_as_many_calls_as_a_rate_allows(
    place: Any, attackers: Attackers
) -> None:
    rates = [
        {"per": ["tool"], "limit": "1000/31 days"},
        {"per": ["tenant"], "limit": "1000000/31 days"},
    ]
    attackers.start("tools", place.settings(rates=rates))
    assert sum(result["allowed"] for result in attackers.told()) == 1000


@SHARED
def test_eight_processes_spend_exactly_what_they_use_and_no_more_than_there_is(
    place: Any, attackers: Attackers
) -> None:
    budgets = [
        {"per": ["session"], "tokens": 400_000, "reserve": 1000},
        {"per": ["tenant"], "tokens": 10**9, "reserve": 1000},
    ]
    attackers.start("models", place.settings(budgets=budgets))
    results = attackers.told()
    used = sum(result["used"] for result in results)
    assert sum(result["allowed"] for result in results) < PROCESSES * CALLS
    assert 399_000 < used <= 400_000
    assert spent(place, budgets) == (used, 0)


def spent(place: Any, budgets: list[dict[str, Any]]) -> tuple[int, int]:
    """Tell what the tenant has spent and holds, as the denial of one more call tells it."""
    (tenant,) = [budget for budget in budgets if budget["per"] == ["tenant"]]
    manager = place.manager(budgets=[{**tenant, "tokens": 1, "reserve": 1}])
    denied = manager.call_model(
        [], lambda _: "", on_denied="return", attributes={"tenant": "a", "max_tokens": 2}
    )
    told = denied.reason.split(": ")[2].split()
    return int(told[0]), int(told[2])


@SHARED
def test_a_killed_process_is_charged_for_what_it_had_reserved_once(
    place: Any, attackers: Attackers
) -> None:
    budgets = [{"per": ["tenant"], "tokens": 10_000, "reserve": 1000}]
    settings = place.settings(budgets=budgets, ttl_s=1.0)
    attackers.start("hang", settings, processes=1)
    assert attackers.told() == ["calling"]
    attackers.kill()
    assert spent(place, budgets) == (0, 1000)
    manager = place.manager(budgets=budgets, ttl_s=1.0)

    def call() -> Any:
        return manager.call_model([], answer, attributes={"tenant": "a"})

    def answer(_: Any) -> ModelResponse:
        return ModelResponse("x", usage={"total_tokens": 1})

    calls: list[Any] = []

    def its_time_is_over() -> bool:
        calls.append(call())
        return spent(place, budgets)[1] == 0

    until(its_time_is_over)
    assert spent(place, budgets) == (1000 + len(calls), 0)


def counted(server: RedisServer) -> int:
    return sum(map(int, server.command("HVALS", "{test}:rate:calls")))


def store(server: RedisServer, **options: Any) -> ServerStore:
    made = RedisStore(server.url, prefix="test", retry_after_s=0.0, **options)
    return ServerStore(made, ttl_s=600.0, keep_s=86_400.0, charges=True)


def admitted(store: ServerStore, calls: int, rate: Rate = OFTEN) -> int:
    """Count the calls that a store lets through; it is asked no more once it is away."""
    passed = 0
    for _ in range(calls):
        try:
            passed += store.count([rate]) is None
        except StoreAwayError:
            break
    return passed


def failed_over(redis_servers: StartServer, replicas: int) -> tuple[int, int]:
    """Lose a replica, go on, lose the primary, promote the replica from what it kept.

    Returns:
        How many calls were let through, and how many of them the replica knows.
    """
    primary = redis_servers()
    replica = redis_servers(replica_of=primary)
    counting = store(primary, replicas=replicas, timeout_s=2.0 if replicas else 10.0)
    passed = admitted(counting, 50)
    until(lambda: replica.command("HVALS", "{test}:rate:calls") == ["50"])
    replica.command("SAVE")
    replica.stall()
    passed += admitted(counting, 50)
    primary.kill()
    replica.kill()
    replica.start()
    replica.command("REPLICAOF", "NO", "ONE")
    return passed, counted(replica)


def test_a_replica_that_is_not_waited_for_forgets_calls(redis_servers: StartServer) -> None:
    passed, known = failed_over(redis_servers, replicas=0)
    assert (passed, known) == (100, 50)


def test_a_replica_that_is_waited_for_forgets_none(redis_servers: StartServer) -> None:
    passed, known = failed_over(redis_servers, replicas=1)
    assert (passed, known) == (50, 50)


def split(redis_servers: StartServer, *options: str, replicas: int = 0) -> int:
    """Promote a replica while its primary lives, and call at both; return what they let through."""
    limit = Rate("calls", 100, 30 * 86_400)
    primary = redis_servers(*options)
    replica = redis_servers(replica_of=primary)
    old = store(primary, replicas=replicas, timeout_s=2.0 if replicas else 10.0)
    passed = admitted(old, 50, limit)
    until(lambda: replica.command("HVALS", "{test}:rate:calls") == ["50"])
    replica.command("REPLICAOF", "NO", "ONE")
    until(lambda: primary.client.info("replication")["connected_slaves"] == 0)
    new = store(replica, timeout_s=10.0)
    return passed + admitted(old, 100, limit) + admitted(new, 100, limit)


def test_two_primaries_let_through_more_than_the_limit(redis_servers: StartServer) -> None:
    assert split(redis_servers) == 150


def test_a_primary_that_waits_for_its_replica_lets_no_more_through(
    redis_servers: StartServer,
) -> None:
    assert split(redis_servers, replicas=1) == 100


def test_a_primary_that_takes_no_changes_without_a_replica_lets_no_more_through(
    redis_servers: StartServer,
) -> None:
    options = ("--min-replicas-to-write", "1", "--min-replicas-max-lag", "1")
    assert split(redis_servers, *options) == 100


@pytest.mark.parametrize("fsync", ["always", "everysec"])
def test_what_was_counted_outlives_a_killed_server_with_a_log(
    redis_servers: StartServer, fsync: str
) -> None:
    server = redis_servers("--appendonly", "yes", "--appendfsync", fsync)
    share = Share("tenant", 10**6, 0, 10)
    counting = store(server, timeout_s=10.0)
    for ident in range(50):
        counting.reserve(str(ident), [share])
        counting.settle(str(ident), [7])
    server.kill()
    server.start()
    assert server.command("HGET", "{test}:budget:tenant", "spent") == "350"


def test_what_was_counted_is_gone_with_a_server_without_a_log(redis_servers: StartServer) -> None:
    server = redis_servers()
    assert admitted(store(server, timeout_s=10.0), 5, Rate("calls", 5, 86_400)) == 5
    server.kill()
    server.start()
    assert admitted(store(server, timeout_s=10.0), 5, Rate("calls", 5, 86_400)) == 5
