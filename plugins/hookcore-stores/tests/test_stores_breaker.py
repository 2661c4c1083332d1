from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from hookcore_stores import Breaker, StoreAwayError, away


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock: Any = Clock()
    monkeypatch.setattr(away, "time", clock)
    return clock  # type: ignore[no-any-return] # it stands for the module


def is_asked(breaker: Breaker) -> bool:
    try:
        breaker.check()
    except StoreAwayError:
        return False
    return True


def test_a_store_that_never_failed_is_asked(clock: Clock) -> None:
    breaker = Breaker("store", 1.0)
    assert [is_asked(breaker), is_asked(breaker), breaker.is_open] == [True, True, False]


def test_a_failed_store_is_left_alone_for_its_time(clock: Clock) -> None:
    breaker = Breaker("store", 1.0)
    breaker.failed("TimeoutError")
    clock.seconds += 0.75
    with pytest.raises(StoreAwayError, match=r"^store: TimeoutError; asked again in 0\.2 s$"):
        breaker.check()
    clock.seconds += 0.25
    assert is_asked(breaker)


def test_only_one_call_tries_a_failed_store_again(clock: Clock) -> None:
    breaker = Breaker("store", 1.0)
    breaker.failed("TimeoutError")
    clock.seconds += 1.0
    assert [is_asked(breaker) for _ in range(3)] == [True, False, False]


def test_one_who_tries_and_never_tells_is_followed_by_another(clock: Clock) -> None:
    breaker = Breaker("store", 1.0)
    breaker.failed("TimeoutError")
    clock.seconds += 1.0
    assert is_asked(breaker)
    clock.seconds += 1.0
    assert is_asked(breaker)


def test_an_answer_ends_it(clock: Clock) -> None:
    breaker = Breaker("store", 1.0)
    breaker.failed("TimeoutError")
    clock.seconds += 1.0
    breaker.check()
    breaker.answered()
    assert [is_asked(breaker), is_asked(breaker), breaker.is_open] == [True, True, False]


def test_the_child_of_a_fork_has_a_lock_that_nobody_holds() -> None:
    breaker = Breaker("store", 0.0)
    breaker.failed("TimeoutError")
    held = breaker._lock
    with held:
        away._renew_all()
        done = threading.Thread(target=breaker.check)
        done.start()
        done.join(10)
    assert not done.is_alive()


def test_what_is_gone_is_not_renewed() -> None:
    breaker = Breaker("store", 0.0)
    before = len(away._renewals)
    del breaker
    Breaker("another", 0.0)
    assert len(away._renewals) <= before
