"""The calls that wait for their end are bounded, and end exactly once."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore_bridge.judging.calls import Calls, OpenCall
from hookcore_bridge.judging.ends import Ends
from hookcore_bridge.judging.threads import CrowdedError, Threads, TooLateError, result_of


class Finished:
    def __init__(self) -> None:
        self.statuses: list[str] = []
        self.told = threading.Semaphore(0)

    @hookimpl
    def tool_finished(self, ctx: Any) -> None:
        self.statuses.append(ctx.status)
        self.told.release()


def begun(manager: HookManager, threads: Threads) -> OpenCall:
    call = OpenCall(manager, threads)
    assert call.begin("t", {"a": 1}, 5.0) == {"a": 1}
    return call


def test_the_oldest_of_too_many_open_calls_is_abandoned() -> None:
    manager, finished, threads = HookManager(), Finished(), Threads()
    manager.register(finished)
    calls = Calls(most=1)
    first, second = begun(manager, threads), begun(manager, threads)
    calls.add(first, ("s", "1"))
    calls.add(second, ("s", "2"))
    assert finished.told.acquire(timeout=5)
    assert calls.take(("s", "1")) is None
    assert calls.take(("s", "2")) is second
    assert len(calls) == 0
    assert second.end("x", 5.0) == "x"
    assert len(finished.statuses) == 2


def test_only_the_calls_of_a_session_are_abandoned() -> None:
    manager, threads = HookManager(), Threads()
    manager.register(Finished())
    calls = Calls()
    one, other = begun(manager, threads), begun(manager, threads)
    calls.add(one, ("s1", "1"))
    calls.add(other, ("s2", "1"))
    calls.abandon_all("s1")
    assert len(calls) == 1
    assert calls.take(("s2", "1")) is other
    other.abandon()


def test_no_more_threads_run_than_there_may_be() -> None:
    threads, go = Threads(most=1), threading.Event()
    running = threads.start(lambda: go.wait(5))
    with pytest.raises(CrowdedError):
        threads.start(int)
    go.set()
    assert result_of(running, 5.0) is True
    assert result_of(threads.start(int), 5.0) == 0


def test_a_result_that_does_not_come_is_late() -> None:
    threads, go = Threads(), threading.Event()
    with pytest.raises(TooLateError):
        result_of(threads.start(lambda: go.wait(5)), 0.01)
    go.set()


def test_the_ends_that_are_remembered_are_bounded() -> None:
    ends = Ends(most=1)
    ends.note("s", "1", "why")
    ends.note("s", "2")
    ends.note("s", None)
    assert ends.take("s", "1") == (False, None)
    assert ends.take("s", "2") == (True, None)
    assert ends.take("s", "2") == (False, None)
