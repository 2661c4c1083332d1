"""Processes that replay partitions side by side, and what becomes of one that dies."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from .worker import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnContext, SpawnProcess

    from typing_extensions import Self

    from .partitions import Partition
    from .worker import Done, Order

__all__ = ["Crew", "Lost"]

_AHEAD = 4
"""Partitions for each process that may be done before the ones that come first in the order."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A partition that could not be replayed, since its process died each time."""

    reason: str


@dataclass(slots=True)
class _Worker:
    process: SpawnProcess
    connection: Connection[Any, Any]
    number: int | None = None
    """The partition that it is at."""


class Crew:
    """Some processes, as long as the block lasts.

    Args:
        order: what the partitions have in common.
        jobs: how many processes.
        tell: told of a process that died.
    """

    def __init__(self, order: Order, jobs: int, tell: Callable[[str], None]) -> None:
        self._order = order
        self._jobs = jobs
        self._tell = tell
        # A forked process would inherit threads' locks and the plugins' connections.
        self._context: SpawnContext = get_context("spawn")
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        """Use the processes; each is started when there is something for it to do."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes, whatever they are doing."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()

    def replay(self, partitions: Sequence[Partition]) -> Iterator[tuple[Partition, Done | Lost]]:
        """Replay partitions.

        Args:
            partitions: the partitions.

        Yields:
            Each with what it came to, in their order.
        """
        done: dict[int, Done | Lost] = {}
        tries = Counter[int]()
        waiting = deque(range(len(partitions)))
        for first, partition in enumerate(partitions):
            while first not in done:
                while waiting and waiting[0] < first + self._jobs * _AHEAD:
                    worker = self._free()
                    if worker is None:
                        break
                    self._send(worker, waiting.popleft(), partitions)
                for worker in self._ready():
                    number, found = self._receive(worker)
                    tries[number] += 1
                    if isinstance(found, Lost) and tries[number] == 1:
                        self._tell(f"{partitions[number]}: {found.reason}; it is tried once more")
                        waiting.appendleft(number)
                    else:
                        done[number] = found
            yield partition, done.pop(first)

    def _free(self) -> _Worker | None:
        for worker in self._workers:
            if worker.number is None:
                return worker
        return self._started() if len(self._workers) < self._jobs else None

    def _started(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(self._order, theirs), daemon=True)
        process.start()
        theirs.close()  # so that ours ends when the process does
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    @staticmethod
    def _send(worker: _Worker, number: int, partitions: Sequence[Partition]) -> None:
        worker.number = number
        with suppress(OSError):  # it is dead, which reading from it will tell
            worker.connection.send(partitions[number])

    def _ready(self) -> list[_Worker]:
        busy = {worker.connection: worker for worker in self._workers if worker.number is not None}
        ready = wait(busy)
        return [worker for connection, worker in busy.items() if connection in ready]

    def _receive(self, worker: _Worker) -> tuple[int, Done | Lost]:
        number, worker.number = worker.number or 0, None
        try:
            return number, worker.connection.recv()
        except (EOFError, OSError):
            self._workers.remove(worker)
            worker.process.join()
            worker.connection.close()
            return number, Lost(f"the process that replayed it {_end(worker.process.exitcode)}")


def _end(code: int | None) -> str:
    return (
        f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with {code}"
    )
