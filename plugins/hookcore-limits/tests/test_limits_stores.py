"""Each kind of store keeps one contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore_limits import _memory
from hookcore_limits._counts import Hit, Rate, Reserved, Share, Store, is_reached, wait_until_free
from hookcore_limits._memory import MemoryStore

MakeStore = Callable[..., Store]
MONTH = 31 * 86_400
"""A window that no test sees the end of, but at the turn of one in each thousand days."""


def rate(key: str = "a", limit: int = 3, seconds: int = MONTH) -> Rate:
    return Rate(key, limit, seconds)


def share(key: str = "a", cap: int = 100, amount: int = 10, seconds: int = 0) -> Share:
    return Share(key, cap, seconds, amount)


def state(store: Store, key: str = "a", seconds: int = 0) -> tuple[int, int]:
    """Tell what is spent and held of a budget, as the refusal of more than there is tells it."""
    answer = store.reserve("probe", [share(key, cap=0, amount=1, seconds=seconds)])
    assert answer.full == 0
    return answer.spent, answer.held


def test_a_rate_lets_through_as_many_calls_as_it_says(make_store: MakeStore) -> None:
    store = make_store()
    assert [store.count([rate()]) is None for _ in range(5)] == [True] * 3 + [False] * 2


def test_counters_are_apart(make_store: MakeStore) -> None:
    store = make_store()
    assert [store.count([rate(key, 1)]) is None for key in "abab"] == [True, True, False, False]


def test_a_call_counts_at_all_rates_or_at_none(make_store: MakeStore) -> None:
    store = make_store()
    wide, narrow = rate("wide", 100), rate("narrow", 10)
    passed = [store.count([wide, narrow]) for _ in range(100)]
    assert passed.count(None) == 10
    hits = [hit for hit in passed if hit is not None]
    assert {hit.place for hit in hits} == {1}
    assert sum(store.count([wide]) is None for _ in range(100)) == 90


def test_a_reached_rate_tells_when_it_is_free(make_store: MakeStore) -> None:
    store = make_store()
    store.count([rate(limit=1)])
    hit = store.count([rate(limit=1)])
    assert hit is not None
    assert 0 < hit.wait_s <= 2 * MONTH


def test_reservations_are_held_until_there_is_no_room(make_store: MakeStore) -> None:
    store = make_store()
    answers = [store.reserve(str(n), [share(amount=40)]) for n in range(3)]
    assert answers == [
        Reserved(None, 0, 0, (40,)),
        Reserved(None, 0, 0, (80,)),
        Reserved(0, 0, 80, (), 100),
    ]


def test_a_reservation_takes_of_all_budgets_or_of_none(make_store: MakeStore) -> None:
    store = make_store()
    shares = [share("wide"), share("narrow", cap=5)]
    assert store.reserve("1", shares).full == 1
    assert (state(store, "wide"), state(store, "narrow")) == ((0, 0), (0, 0))


def test_a_settlement_spends_what_was_used_in_the_place_of_what_was_held(
    make_store: MakeStore,
) -> None:
    store = make_store()
    store.reserve("1", [share("a", amount=30), share("b", amount=20)])
    assert store.settle("1", [7, 25])
    assert (state(store, "a"), state(store, "b")) == ((7, 0), (25, 0))


def test_a_second_settlement_counts_nothing(make_store: MakeStore) -> None:
    store = make_store()
    store.reserve("1", [share()])
    assert [store.settle("1", [7]), store.settle("1", [7])] == [True, False]
    assert state(store) == (7, 0)


def test_a_settlement_of_nothing_counts_nothing(make_store: MakeStore) -> None:
    store = make_store()
    assert not store.settle("never", [7])
    assert state(store) == (0, 0)


def test_a_reservation_that_is_made_again_neither_denies_itself_nor_holds_twice(
    make_store: MakeStore,
) -> None:
    store = make_store()
    first = store.reserve("1", [share(cap=10)])
    assert (first.full, store.reserve("1", [share(cap=10)]).full) == (None, None)
    assert state(store) == (0, 10)


def test_a_reservation_that_outlives_its_time_is_charged_once(make_store: MakeStore) -> None:
    make_store(ttl_s=0.0).reserve("1", [share(amount=30)])
    store = make_store(ttl_s=0.0)
    if isinstance(store, MemoryStore):
        store.reserve("1", [share(amount=30)])
    assert state(store) == (30, 0)
    assert not store.settle("1", [7])
    assert state(store) == (30, 0)


def test_a_reservation_that_outlives_its_time_is_let_go_where_that_is_wanted(
    make_store: MakeStore,
) -> None:
    store = make_store(ttl_s=0.0, charges=False)
    store.reserve("1", [share(amount=30)])
    assert state(store) == (0, 0)


def test_what_nothing_was_held_of_is_charged(make_store: MakeStore) -> None:
    store = make_store()
    assert store.charge([share("a", amount=120), share("b", amount=1)])
    assert (state(store, "a"), state(store, "b")) == ((120, 0), (1, 0))
    assert store.reserve("1", [share("a", amount=1)]).full == 0


def test_an_empty_budget_lets_through_what_costs_nothing_and_nothing_else(
    make_store: MakeStore,
) -> None:
    store = make_store()
    store.charge([share(cap=5, amount=9)])
    assert store.reserve("free", [share(cap=5, amount=0)]).full is None
    assert store.reserve("dear", [share(cap=5, amount=1)]).full == 0


def test_a_budget_of_nothing_is_no_budget_without_end(make_store: MakeStore) -> None:
    assert make_store().reserve("1", [share(cap=0, amount=1)]).full == 0


def test_amounts_of_money_are_exact(make_store: MakeStore) -> None:
    store, cap = make_store(), 10**15
    for ident in range(10):
        store.reserve(str(ident), [share(cap=cap, amount=10**14 - 1)])
    assert state(store) == (0, 10**15 - 10)
    assert store.reserve("11", [share(cap=cap, amount=11)]).full == 0
    assert store.reserve("12", [share(cap=cap, amount=10)]).full is None


def test_a_closed_store_opens_again(make_store: MakeStore) -> None:
    store = make_store()
    store.count([rate(limit=1)])
    store.close()
    assert isinstance(store.count([rate(limit=1)]), Hit)


class Clock:
    """Both clocks of the machine, at once."""

    def __init__(self) -> None:
        self.seconds = 1_000_000_000.0

    def time(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture(params=["memory", "sqlite"])
def local_store(request: pytest.FixtureRequest, clock: Clock, tmp_path: Any) -> Any:
    from hookcore_limits._sqlite import FileStore

    options: dict[str, Any] = {"ttl_s": 600.0, "keep_s": 86_400.0, "charges": True}
    if request.param == "memory":
        yield MemoryStore(**options)
        return
    store = FileStore(tmp_path / "own" / "x", retry_after_s=0.0, **options)
    yield store
    store.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("hookcore_limits._memory.time", clock)
    monkeypatch.setattr("hookcore_stores.sqlite.time.time", clock.time)
    return clock


def passed(store: Store, calls: int, asked: Rate) -> int:
    return sum(store.count([asked]) is None for _ in range(calls))


def test_no_more_than_the_limit_passes_at_the_border_of_two_windows(
    local_store: Store, clock: Clock
) -> None:
    minute = rate(limit=100, seconds=60)
    clock.seconds = 60_000_000 - 0.1
    assert passed(local_store, 200, minute) == 100
    clock.seconds += 0.2
    assert passed(local_store, 200, minute) == 0
    clock.seconds += 30
    assert passed(local_store, 200, minute) == 50
    clock.seconds += 90
    assert passed(local_store, 200, minute) == 100


def test_a_call_passes_as_soon_as_it_was_told_and_no_sooner(
    local_store: Store, clock: Clock
) -> None:
    minute = rate(limit=10, seconds=60)
    clock.seconds = 60_000_000 + 50.0
    assert passed(local_store, 10, minute) == 10
    hit = local_store.count([minute])
    assert hit is not None
    clock.seconds += hit.wait_s - 0.01
    assert passed(local_store, 1, minute) == 0
    clock.seconds += 0.02
    assert passed(local_store, 2, minute) == 1


def test_a_budget_is_full_again_with_its_period_and_what_is_held_stays_held(
    local_store: Store, clock: Clock
) -> None:
    clock.seconds = 86_400 * 1000 + 100.0
    day = share(amount=10, seconds=86_400)
    local_store.charge([day])
    local_store.reserve("over midnight", [day])
    clock.seconds += 86_400 - 300
    assert state(local_store, seconds=86_400) == (20, 0)  # its time was over meanwhile
    local_store.reserve("again", [day])
    clock.seconds += 200
    assert state(local_store, seconds=86_400) == (0, 10)
    local_store.settle("again", [3])
    assert state(local_store, seconds=86_400) == (3, 0)


def test_a_clock_that_is_set_back_opens_no_window(clock: Clock, tmp_path: Any) -> None:
    from hookcore_limits._sqlite import FileStore

    store = FileStore(
        tmp_path / "own" / "x", retry_after_s=0.0, ttl_s=600.0, keep_s=86_400.0, charges=True
    )
    minute = rate(limit=100, seconds=60)
    assert passed(store, 200, minute) == 100
    clock.seconds -= 3600
    assert passed(store, 200, minute) == 0
    store.close()
    assert passed(store, 200, minute) == 0
    store.close()


def test_what_is_over_is_thrown_away(
    local_store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_memory, "_SWEEP", 10)
    monkeypatch.setattr("hookcore_limits._sqlite._SWEEP", 10)
    for number in range(50):
        local_store.count([rate(str(number), seconds=60)])
        local_store.charge([share(str(number))])
    clock.seconds += 10 * 86_400
    for _ in range(10):
        local_store.count([rate("new", limit=100, seconds=60)])
    if isinstance(local_store, MemoryStore):
        assert set(local_store._windows) == {"new"}
        assert not local_store._budgets
        return
    file: Any = local_store
    with file._file.transaction() as db:
        assert db.execute("SELECT DISTINCT key FROM rates").fetchall() == [("new",)]
        assert db.execute("SELECT count(*) FROM budgets").fetchone() == (0,)


def test_redis_forgets_windows_and_budgets_by_itself(redis_servers: Any) -> None:
    from hookcore_limits._redis import ServerStore
    from hookcore_stores import RedisStore

    server = redis_servers()
    redis = RedisStore(server.url, prefix="test", timeout_s=10.0)
    store = ServerStore(redis, ttl_s=600.0, keep_s=1000.0, charges=True)
    server.command("HSET", "{test}:rate:a", "1", "5")
    store.count([rate(seconds=60)])
    store.charge([share()])
    assert len(server.command("HKEYS", "{test}:rate:a")) == 1
    assert 60 < server.command("TTL", "{test}:rate:a") <= 120
    assert 0 < server.command("TTL", "{test}:budget:a") <= 1000


def test_redis_weighs_the_window_before(redis_servers: Any) -> None:
    from hookcore_limits._redis import ServerStore
    from hookcore_stores import RedisStore

    server = redis_servers()
    redis = RedisStore(server.url, prefix="test", timeout_s=10.0)
    store = ServerStore(redis, ttl_s=600.0, keep_s=1000.0, charges=True)
    now = float(server.command("TIME")[0])
    number = int(now // MONTH)
    server.command("HSET", "{test}:rate:a", number - 1, 10**6)
    hit = store.count([rate(limit=1000)])
    assert hit is not None
    assert hit.wait_s == pytest.approx((1 - 999 / 10**6) * MONTH - now % MONTH, abs=60)


@given(
    limit=st.integers(1, 1000),
    before=st.integers(0, 1000),
    current=st.integers(0, 1000),
    gone=st.floats(0, 59.9),
)
def test_the_wait_is_as_long_as_it_has_to_be(
    limit: int, before: int, current: int, gone: float
) -> None:
    asked = rate(limit=limit, seconds=60)
    if not is_reached(asked, before, current, gone):
        return
    wait = wait_until_free(asked, before, current, gone)

    def is_reached_in(seconds: float) -> bool:
        at = gone + seconds
        if at < 60:
            return is_reached(asked, before, current, at)
        return at < 120 and is_reached(asked, current, 0, at - 60)

    assert not is_reached_in(wait + 0.001)
    assert wait < 0.002 or is_reached_in(wait - 0.001)
