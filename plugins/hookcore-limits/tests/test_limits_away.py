"""Each way in which a store can be away: how long a call takes then, and what becomes of it."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hookcore import Denied, HookManager, ModelResponse
from hookcore_limits import Limits
from hookcore_stores.testing import RedisServer, StartServer

RATES = [{"per": ["tool"], "limit": "3/31 days"}]
BUDGETS = [{"per": ["tenant"], "tokens": 10_000, "reserve": 1000}]
LATE_S = 2.9
"""Seconds that no call may take, and that redis-py by itself would."""


@pytest.fixture
def server(redis_servers: StartServer, monkeypatch: pytest.MonkeyPatch) -> RedisServer:
    server = redis_servers()
    monkeypatch.setenv("HOOKCORE_REDIS_URL", server.url)
    return server


def manager(**settings: Any) -> HookManager:
    manager = HookManager()
    given = {"store": "redis", "rates": RATES, "budgets": BUDGETS, **settings}
    manager.register(Limits, "limits", settings=given)
    return manager


def limits(manager: HookManager) -> Limits:
    plugin: Any = manager.plugins()[0].plugin
    return plugin  # type: ignore[no-any-return] # it is what was registered


def tool(manager: HookManager) -> Any:
    return manager.call_tool("send", {}, lambda _: "sent", on_denied="return")


def model(manager: HookManager, tokens: int = 10) -> Any:
    answer = ModelResponse("x", usage={"total_tokens": tokens})
    return manager.call_model([], lambda _: answer, on_denied="return", attributes={"tenant": "a"})


def reason(denied: Any) -> str:
    assert isinstance(denied, Denied)
    return denied.reason


def timed(manager: HookManager) -> tuple[Any, float]:
    started = time.perf_counter()
    answer = tool(manager)
    return answer, time.perf_counter() - started


@contextmanager
def stalled(server: RedisServer) -> Iterator[None]:
    server.stall()
    try:
        yield
    finally:
        server.go_on()


def test_a_killed_server_denies_in_less_than_a_millisecond_and_is_back_when_it_is_started(
    server: RedisServer,
) -> None:
    governed = manager(retry_after_s=0.0)
    assert tool(governed) == "sent"
    server.kill()
    answers = [timed(governed) for _ in range(50)]
    assert {reason(answer) for answer, _ in answers} == {
        'limits: the store is away (redis: ConnectionError) and when_away is "deny"'
    }
    assert min(seconds for _, seconds in answers) < 0.001
    assert max(seconds for _, seconds in answers) < LATE_S
    server.start()
    assert tool(governed) == "sent"
    assert limits(governed).stats().away == 50


def test_a_server_that_hangs_denies_after_the_time_out_and_then_at_once(
    server: RedisServer,
) -> None:
    governed = manager(retry_after_s=60.0)
    tool(governed)
    with stalled(server):
        (first, waited), (second, later) = timed(governed), timed(governed)
    assert "TimeoutError" in reason(first)
    assert 0.25 <= waited < LATE_S
    assert "asked again in" in reason(second)
    assert later < 0.1


def test_the_model_is_told_nothing_of_the_store(server: RedisServer) -> None:
    server.kill()
    assert tool(manager()).message == "This cannot be checked at the moment; try again later."


def test_calls_go_on_unchecked_where_that_is_wanted(server: RedisServer) -> None:
    governed = manager(when_away="allow")
    server.kill()
    assert [tool(governed) for _ in range(5)] == ["sent"] * 5
    assert model(governed).content == "x"
    assert limits(governed).stats().unchecked == 6


def test_what_was_used_unchecked_is_charged_when_the_store_is_back(server: RedisServer) -> None:
    governed = manager(when_away="allow", retry_after_s=0.0, rates=[])
    server.kill()

    def back(_: Any) -> ModelResponse:
        server.start()
        return ModelResponse("x", usage={"total_tokens": 9500})

    governed.call_model([], back, attributes={"tenant": "a"})
    assert "9500 spent, 0 reserved, 1000 asked, 10000 allowed" in reason(model(governed))


def test_calls_are_counted_in_this_process_where_that_is_wanted(server: RedisServer) -> None:
    governed = manager(when_away="local", local_share=3)
    server.kill()
    assert tool(governed) == "sent"
    assert "rates[0] (tool) reached" in reason(tool(governed))
    assert [model(governed, 900).content for _ in range(3)] == ["x"] * 3
    assert "2700 spent, 0 reserved, 1000 asked, 3333 allowed" in reason(model(governed))


def test_what_a_call_holds_while_its_store_goes_away_is_charged_later(server: RedisServer) -> None:
    governed = manager(retry_after_s=0.0)

    def lost(_: Any) -> ModelResponse:
        server.stall()
        return ModelResponse("x", usage={"total_tokens": 1})

    answer = governed.call_model([], lost, attributes={"tenant": "a"})
    server.go_on()
    assert answer.content == "x"
    assert limits(governed).stats().away == 1


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("REPLICAOF", "127.0.0.1", "1"), "ReadOnlyError"),
        (("CONFIG", "SET", "maxmemory", "1"), "OutOfMemoryError"),
        (("CONFIG", "SET", "min-replicas-to-write", "1"), "ResponseError NOREPLICAS"),
    ],
)
def test_a_server_that_takes_no_changes_denies(
    server: RedisServer, command: tuple[str, ...], told: str
) -> None:
    governed = manager()
    server.command(*command)
    assert f"redis: {told}" in reason(tool(governed))


def test_scripts_that_the_server_forgot_are_sent_again(server: RedisServer) -> None:
    governed = manager()
    assert [tool(governed), model(governed).content] == ["sent", "x"]
    server.command("SCRIPT", "FLUSH")
    assert [tool(governed), model(governed).content] == ["sent", "x"]


def test_a_missing_replica_denies(server: RedisServer) -> None:
    assert "0 of 1 replicas have the change" in reason(tool(manager(replicas=1, timeout_ms=2000)))


def test_it_is_logged_once_that_the_store_went_and_once_that_it_came_back(
    server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    governed = manager(retry_after_s=0.0)
    server.kill()
    with caplog.at_level(logging.WARNING, "hookcore_limits"):
        for _ in range(3):
            tool(governed)
        server.start()
        for _ in range(3):
            tool(governed)
    assert [record.getMessage() for record in caplog.records] == [
        'limits: the store is away (redis: ConnectionError); when_away is "deny"',
        "limits: the store answers again",
    ]


def test_a_program_starts_while_its_server_does_not(
    server: RedisServer,
) -> None:
    server.kill()
    governed = manager(retry_after_s=0.0)
    server.start()
    assert tool(governed) == "sent"


def test_without_the_variable_nothing_is_loaded_and_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HOOKCORE_REDIS_URL", raising=False)
    with pytest.raises(Exception, match="HOOKCORE_REDIS_URL is not set"):
        manager()


def test_an_event_loop_goes_on_while_a_server_hangs(server: RedisServer) -> None:
    import asyncio

    governed = manager(timeout_ms=500)
    tool(governed)

    async def main() -> int:
        call = asyncio.ensure_future(
            governed.acall_tool("send", {}, lambda _: "sent", on_denied="return")
        )
        turns = 0
        while not call.done():
            turns += 1
            await asyncio.sleep(0.001)
        assert isinstance(call.result(), Denied)
        return turns

    with stalled(server):
        assert asyncio.run(main()) > 3


def test_a_file_that_another_process_locks_denies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own" / "limits.sqlite3"
    governed = manager(store="sqlite", path=str(file), retry_after_s=0.0)
    assert tool(governed) == "sent"
    store: Any = limits(governed)
    monkeypatch.setattr(store._asking._store._file, "_busy_s", 0.05)
    store.close()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert "sqlite: " in reason(tool(governed))
    other.close()
    assert tool(governed) == "sent"
    store.close()


def test_a_full_disk_denies(tmp_path: Path) -> None:
    file = tmp_path / "own" / "limits.sqlite3"
    governed = manager(store="sqlite", path=str(file), retry_after_s=0.0)
    assert tool(governed) == "sent"
    store: Any = limits(governed)
    with store._asking._store._file.transaction() as db:
        db.execute("DELETE FROM rates")
        (pages,) = db.execute("PRAGMA page_count").fetchone()
    # The last page there may be is the last there is: what is new finds no room.
    connection = store._asking._store._file._opened[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    answers = [
        governed.call_tool(f"tool-{n}" * 20, {}, lambda _: "sent", on_denied="return")
        for n in range(500)
    ]
    denied = [answer for answer in answers if answer != "sent"]
    store.close()
    assert denied
    assert "sqlite: " in reason(denied[0])
