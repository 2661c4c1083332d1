"""An engine: processes of this machine side by side, and what becomes of one that dies."""

from __future__ import annotations

import os
import signal
from collections import Counter, deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import wait
from threading import Thread
from typing import TYPE_CHECKING, Any

from .work import Lost, RefusedError, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnContext, SpawnProcess

    from .work import Task, Work

__all__ = ["Pool"]


@dataclass(slots=True)
class _Worker:
    process: SpawnProcess
    connection: Connection[Any, Any]
    task: Task | None = None
    """The one that it is at."""


class Pool:
    """Some processes, each started when there is something for it to do.

    Args:
        jobs: how many processes.
        tell: told of a task that is tried once more.
    """

    def __init__(self, jobs: int, tell: Callable[[str], None]) -> None:
        self._jobs = jobs
        self._tell = tell
        # A forked process would inherit threads' locks and the plugins' connections.
        self._context: SpawnContext = get_context("spawn")
        self._workers: list[_Worker] = []

    def run(self, work: Work, tasks: Sequence[Task]) -> Iterator[tuple[Task, Lost | None]]:
        """Have tasks done; see `Engine`.

        Args:
            work: to be called with each task.
            tasks: the tasks.

        Yields:
            Each task once, as soon as it is done or lost.
        """
        waiting, tries = deque(tasks), Counter[int]()
        try:
            while waiting or self._busy():
                while waiting and (worker := self._free(work)) is not None:
                    self._send(worker, waiting.popleft())
                for worker in self._ready():
                    task, lost = self._receive(worker)
                    tries[task.number] += 1
                    if lost is not None and tries[task.number] == 1:
                        self._tell(f"{task}: {lost.reason}; it is tried once more")
                        waiting.appendleft(task)
                    else:
                        yield task, lost and Lost(f"{lost.reason}, twice")
        finally:
            self._end()

    def _busy(self) -> dict[Connection[Any, Any], _Worker]:
        return {worker.connection: worker for worker in self._workers if worker.task is not None}

    def _free(self, work: Work) -> _Worker | None:
        for worker in self._workers:
            if worker.task is None:
                return worker
        return self._started(work) if len(self._workers) < self._jobs else None

    def _started(self, work: Work) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(work, theirs), daemon=True)
        with _interrupts_held_back():
            process.start()
        theirs.close()  # so that ours ends when the process does
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    @staticmethod
    def _send(worker: _Worker, task: Task) -> None:
        worker.task = task
        with suppress(OSError):  # it is dead, which reading from it will tell
            worker.connection.send(task)

    def _ready(self) -> list[_Worker]:
        busy = self._busy()
        ready = wait(busy)
        return [worker for connection, worker in busy.items() if connection in ready]

    def _receive(self, worker: _Worker) -> tuple[Task, Lost | None]:
        task, worker.task = worker.task, None
        assert task is not None  # noqa: S101 - only busy ones are read from
        try:
            answer = worker.connection.recv()
        except (EOFError, OSError):
            self._workers.remove(worker)
            worker.process.join()
            worker.connection.close()
            return task, Lost(f"the process that replayed it {_ending(worker.process.exitcode)}")
        if isinstance(answer, RefusedError):
            raise answer
        return task, answer

    def _end(self) -> None:
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()
        self._workers.clear()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach while their Python is still starting."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    # A start of this helper of multiprocessing would let them through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ending(code: int | None) -> str:
    return (
        f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with {code}"
    )


def _serve(work: Work, connection: Connection[Any, Any]) -> None:
    """Do tasks that come over a connection, and answer None, or what became of them."""
    # Who started the process ends it: it has to tell what was done when somebody presses Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    while True:
        task: Task = connection.recv()
        try:
            work(task)
        except RefusedError as error:
            connection.send(error)
        except OSError as error:
            connection.send(Lost(reason_of(error)))
        else:
            connection.send(None)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
