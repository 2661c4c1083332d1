"""Threads that wait for what may take long, such as the end of a collector that hangs."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue

__all__ = ["Crew", "wait_for"]

_Task = tuple[Callable[[], object], threading.Event]


class Crew:
    """Calls functions at the same time, in threads that keep no process from ending.

    They begin at once: an interpreter that is about to end starts no more threads.

    Args:
        number: how many functions are called at the same time.
    """

    def __init__(self, number: int) -> None:
        self._queues: list[SimpleQueue[_Task | None]] = [SimpleQueue() for _ in range(number)]
        for queue in self._queues:
            threading.Thread(
                target=_work, args=(queue,), name="hookcore telemetry", daemon=True
            ).start()

    def call(self, calls: Sequence[Callable[[], object]]) -> list[threading.Event]:
        """Call functions; return what is set when each has ended, in whichever way.

        Args:
            calls: as many as there are threads.
        """
        ends = []
        for queue, call in zip(self._queues, calls, strict=True):
            end = threading.Event()
            queue.put((call, end))
            ends.append(end)
        return ends

    def dismiss(self) -> None:
        """Let the threads end when they have called what they were given."""
        for queue in self._queues:
            queue.put(None)


def wait_for(ends: Sequence[threading.Event], seconds: float) -> bool:
    """Wait until all are set.

    Args:
        ends: what is waited for.
        seconds: how long at the most.

    Returns:
        Whether all were set in that time.
    """
    deadline = time.monotonic() + seconds
    return all(end.wait(max(0.0, deadline - time.monotonic())) for end in ends)


def _work(queue: SimpleQueue[_Task | None]) -> None:
    while (task := queue.get()) is not None:
        call, end = task
        with contextlib.suppress(Exception):  # exporters log what goes wrong with them
            call()
        end.set()
