"""Many threads and tasks dispatch while plugins and scopes come and go: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from hookcore import (
    HookContext,
    HookDispatchedEvent,
    HookManager,
    SetupContext,
    StepContext,
    hookimpl,
)

THREADS = 8
PER_THREAD = 6_000
TASKS = 100
PER_TASK = 520
CHANGES = 1_000
STAYS = ("first", "last")


@pytest.fixture(autouse=True)
def _switch_often() -> Iterator[None]:
    """Let threads interrupt each other every tenth of a millisecond."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(before)


class Stays:
    """A plugin that is there all the time, with a hook before and one after the others'."""

    @hookimpl(specname="pre_step", tryfirst=True)
    def first(self, ctx: HookContext) -> None:
        ctx.attributes["chain"].append("first")

    @hookimpl(specname="pre_step", trylast=True)
    def last(self, ctx: HookContext) -> None:
        ctx.attributes["chain"].append("last")

    @hookimpl
    async def setup_state(self, ctx: HookContext) -> None:
        await asyncio.sleep(0)
        ctx.attributes["chain"].append("slow")


class Comes:
    """A plugin that comes and goes: a dispatch meets both of its hooks or neither."""

    def __init__(self, name: str) -> None:
        self.name = name

    @hookimpl(specname="pre_step")
    def one(self, ctx: HookContext) -> None:
        ctx.attributes["chain"].append(f"{self.name} one")

    @hookimpl(specname="pre_step")
    def two(self, ctx: HookContext) -> None:
        ctx.attributes["chain"].append(f"{self.name} two")


class Scoped:
    """A plugin for one task's execution."""

    def __init__(self, owner: str) -> None:
        self.owner = owner

    @hookimpl
    def pre_step(self, ctx: HookContext) -> None:
        ctx.attributes["chain"].append(f"scope of {self.owner}")


class Tally:
    """The payloads that all dispatches saw, by chain; each one counts its own."""

    def __init__(self) -> None:
        self.chains: Counter[tuple[str, ...]] = Counter()
        self._lock = threading.Lock()

    def add(self, chains: Counter[tuple[str, ...]]) -> None:
        """Add one thread's or task's part."""
        with self._lock:
            self.chains += chains

    @property
    def total(self) -> int:
        """The number of dispatches."""
        return sum(self.chains.values())


def step() -> StepContext:
    return StepContext(payload={}, attributes={"chain": []})


def chain_of(ctx: HookContext) -> tuple[str, ...]:
    return tuple(ctx.attributes["chain"])


def churn(manager: HookManager, finished: threading.Event, done: Counter[str]) -> None:
    """Register, disable, enable and unregister plugins for as long as others dispatch."""
    count = 0
    while not finished.is_set() or done.total() < CHANGES:
        name = f"guest-{count % 3}"
        manager.register(Comes(name), name)
        assert {f"{name} one", f"{name} two"} <= set(chain_of(manager.dispatch("pre_step", step())))
        manager.disable(name)
        assert f"{name} one" not in chain_of(manager.dispatch("pre_step", step()))
        manager.enable(name)
        manager.unregister(name)
        assert f"{name} one" not in chain_of(manager.dispatch("pre_step", step()))
        done.update(["register", "disable", "enable", "unregister"])
        count += 1


def dispatch_in_thread(manager: HookManager, tally: Tally) -> None:
    seen: Counter[tuple[str, ...]] = Counter()
    for number in range(PER_THREAD):
        seen[chain_of(manager.dispatch("pre_step", step()))] += 1
        if number % 500 == 0:
            slow = SetupContext(payload={}, attributes={"chain": []})
            assert chain_of(manager.dispatch("setup_state", slow)) == ("slow",)
    tally.add(seen)


async def dispatch_in_task(manager: HookManager, tally: Tally, owner: str) -> None:
    seen: Counter[tuple[str, ...]] = Counter()
    for number in range(PER_TASK // 52):
        scoped = number % 2 == 0
        with manager.scope(Scoped(owner)) if scoped else manager.scope():
            for _ in range(52):
                chain = chain_of(await manager.adispatch("pre_step", step()))
                assert [item for item in chain if "scope" in item] == [f"scope of {owner}"] * scoped
                seen[tuple(item for item in chain if "scope" not in item)] += 1
            # Other tasks, in scopes of their own, run meanwhile.
            slow = SetupContext(payload={}, attributes={"chain": []})
            assert chain_of(await manager.adispatch("setup_state", slow)) == ("slow",)
    tally.add(seen)


async def dispatch_in_tasks(manager: HookManager, tally: Tally) -> set[asyncio.Task[Any]]:
    """Return the tasks that are left over."""
    await asyncio.gather(
        *(dispatch_in_task(manager, tally, f"task {number}") for number in range(TASKS))
    )
    current = asyncio.current_task()
    return {task for task in asyncio.all_tasks() if task is not current}


@contextmanager
def running(works: list[Callable[[], object]]) -> Iterator[None]:
    """Run functions on threads of their own beside the block; raise the first thing they raise."""
    errors: list[BaseException] = []

    def guarded(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised on the test's own thread
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


def assert_consistent(chain: tuple[str, ...]) -> None:
    """Check that a chain has what stays once, at its ends, and each guest's two hooks or none."""
    assert (chain[0], chain[-1]) == STAYS
    guests = chain[1:-1]
    assert len(set(guests)) == len(guests)
    assert [item.replace(" one", " two") for item in guests[::2]] == list(guests[1::2])


def test_nothing_is_lost_or_doubled_while_plugins_and_scopes_come_and_go() -> None:
    threads_before = set(threading.enumerate())
    manager, tally, changes = HookManager(), Tally(), Counter[str]()
    manager.register(Stays())
    finished = threading.Event()
    with running([lambda: churn(manager, finished, changes)]):
        try:
            with running([lambda: dispatch_in_thread(manager, tally)] * THREADS):
                left_over = asyncio.run(dispatch_in_tasks(manager, tally))
        finally:
            finished.set()

    assert tally.total == THREADS * PER_THREAD + TASKS * PER_TASK == 100_000
    for chain in tally.chains:
        assert_consistent(chain)
    assert len(tally.chains) > 1, "no dispatch met a plugin that came"
    assert changes.total() >= CHANGES
    assert [info.plugin for info in manager.hooks("pre_step")] == ["Stays", "Stays"]
    assert not left_over
    manager.close()
    gc.collect()
    assert set(threading.enumerate()) <= threads_before


def test_each_dispatch_yields_its_one_event_while_listeners_come_and_go() -> None:
    manager = HookManager()
    manager.register(Stays())
    told: list[HookDispatchedEvent] = []
    manager.subscribe(told.append)
    stop = threading.Event()

    def come_and_go() -> None:
        while not stop.is_set():
            manager.subscribe(lambda event: None)()
            manager.tracks_mutations = not manager.tracks_mutations

    def dispatch(owner: str) -> None:
        for number in range(1_000):
            ctx = step()
            ctx.run_id, ctx.call_id = owner, str(number)
            manager.dispatch("pre_step", ctx)

    with running([come_and_go]):
        with running([partial(dispatch, f"run {number}") for number in range(THREADS)]):
            pass
        stop.set()
    calls = Counter((event.run_id, event.call_id) for event in told)
    assert len(calls) == THREADS * 1_000
    assert set(calls.values()) == {1}
    assert {event.hook_count for event in told} == {2}
