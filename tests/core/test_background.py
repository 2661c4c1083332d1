"""The public helper for work beside the host: nothing waits for it, and nothing is lost in silence."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import Background

Make = Callable[..., "Background[int]"]


class Worker:
    """Keeps what it gets, and fails as often as it is told to."""

    def __init__(self, fails: int = 0) -> None:
        self.batches: list[list[int]] = []
        self.dropped = 0
        self.closed = threading.Event()
        self.fails = fails
        self.gate = threading.Event()
        self.gate.set()

    @property
    def items(self) -> list[int]:
        return [item for batch in self.batches for item in batch]

    def work(self, items: Sequence[int], dropped: int) -> float | None:
        self.gate.wait(10)
        if self.fails:
            self.fails -= 1
            raise OSError("not now")
        self.batches.append(list(items))
        self.dropped += dropped
        return None

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Background[int]] = []

    def begin(worker: Worker, **options: Any) -> Background[int]:
        values = {"failing": "numbers cannot be kept", "retry": 0.01, **options}
        background: Background[int] = Background("test", lambda: worker, **values)
        made.append(background)
        return background

    yield begin
    for background in made:
        background.close()


@given(items=st.lists(st.integers(), max_size=50), batch=st.integers(1, 7))
def test_items_are_worked_off_in_their_order_and_in_batches(items: list[int], batch: int) -> None:
    worker = Worker()
    background: Background[int] = Background("t", lambda: worker, failing="f", batch=batch)
    assert all(background.put(item) for item in items)
    assert background.close()
    assert worker.items == items
    assert all(len(each) <= batch for each in worker.batches)


def test_what_is_over_the_bound_is_dropped_counted_and_told(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    worker = Worker()
    worker.gate.clear()
    background = make(worker, bound=3)
    assert [background.put(item) for item in range(5)] == [True, True, True, False, False]
    assert "numbers cannot be kept fast enough: 1 dropped so far" in caplog.text
    worker.gate.set()
    assert background.flush(10)
    assert (worker.items, worker.dropped, background.dropped) == ([0, 1, 2], 2, 0)


def test_what_fails_is_tried_again_and_told_once(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    worker = Worker(fails=3)
    background = make(worker)
    background.put(1)
    assert background.flush(10)
    assert worker.items == [1]
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().startswith("numbers cannot be kept (OSError: not now)")


def test_a_flush_ends_when_its_time_is_over(make: Make) -> None:
    worker = Worker()
    worker.gate.clear()
    background = make(worker)
    background.put(1)
    assert not background.flush(0.05)
    assert background.waiting == 1
    worker.gate.set()


def test_a_closed_one_begins_again_with_the_next_item(make: Make) -> None:
    worker = Worker()
    background = make(worker)
    background.put(1)
    assert background.close()
    assert worker.closed.wait(10)
    background.put(2)
    assert background.flush(10)
    assert worker.items == [1, 2]


def test_a_worker_that_asks_for_it_is_called_without_news(make: Make) -> None:
    called = threading.Event()

    class Again(Worker):
        def work(self, items: Sequence[int], dropped: int) -> float | None:
            super().work(items, dropped)
            if len(self.batches) == 3:
                called.set()
                return None
            return 0.001

    background = make(Again())
    background.put(1)
    assert called.wait(10)


def run(program: str) -> subprocess.CompletedProcess[str]:
    begin = """
import os, sys, time
from hookcore import Background
class Worker:
    def work(self, items, dropped):
        if FAILS:
            raise OSError("no room")
        print(*items, flush=True)
    def close(self): ...
def lost(number):
    print("lost", number, flush=True)
def make():
    return Background(
        "test", Worker, failing="numbers cannot be kept", exit_seconds=0.1, lost=lost
    )
"""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", begin + program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


def test_what_waits_when_the_process_ends_is_worked_off() -> None:
    assert run("FAILS = False; made = make(); made.put(1)").stdout == "1\n"


def test_what_has_no_time_when_the_process_ends_is_told_on_standard_error() -> None:
    done = run("FAILS = True; made = make(); made.put(1); made.put(2)")
    assert done.stdout == "lost 2\n"
    assert (
        "hookcore: numbers cannot be kept (OSError: no room): 2 are lost, since the process ends"
        in done.stderr
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_works_off_its_own_items_alone() -> None:
    program = """
FAILS = False
made = make()
made.put(1)
made.flush(10)
child = os.fork()
made.put(2 if child else 3)
if child:
    os.waitpid(child, 0)
"""
    # Two processes write into one pipe, and their ends of lines may come anywhere.
    assert sorted(run(program).stdout.replace("\n", "")) == ["1", "2", "3"]
