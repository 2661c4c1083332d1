"""Work that a thread does beside the host, so that no dispatch ever waits for disk or network."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

from .ending import flush_in_multiprocessing, look_after, report_loss

if TYPE_CHECKING:
    from collections.abc import Callable

    from .beside import BackgroundWorker

__all__ = ["Background"]

_log = logging.getLogger("hookcore")

_POLL_SECONDS = 0.005
_HASTY_SECONDS = 0.05
_COMPLAIN_SECONDS = 60.0

Item = TypeVar("Item")


class Background(Generic[Item]):
    """A bounded queue, and a daemon thread that works it off.

    It starts its thread with the first item, anew in a forked child, and gives what waits some
    time when the process ends. What is dropped is counted and told: while the process runs in
    Python's log, and on standard error when it ends.

    Args:
        name: the thread's name.
        begin: called in the thread when it starts; returns who works items off.
        failing: the beginning of what is told, such as "decisions cannot be written to FILE".
        bound: the most items that wait; what comes on top is dropped.
        batch: the most items that the worker gets at once.
        gather: the seconds between the first item and its batch, so that others join it.
        retry: the seconds after which it gets items again that it failed at.
        exit_seconds: the seconds that it has for what waits when the process ends.
        lost: called at the end of the process with the number of items that had no more time.
    """

    def __init__(
        self,
        name: str,
        begin: Callable[[], BackgroundWorker[Item]],
        *,
        failing: str,
        bound: int = 10_000,
        batch: int = 500,
        gather: float = 0.0,
        retry: float = 1.0,
        exit_seconds: float = 2.0,
        lost: Callable[[int], object] | None = None,
    ) -> None:
        self._name = name
        self._begin = begin
        self._failing = failing
        self._bound = bound
        self._batch = batch
        self._gather = gather
        self._retry = retry
        self._exit_seconds = exit_seconds
        self._lost = lost
        self._queue: deque[Item] = deque()
        self.renew()
        look_after(self)

    def renew(self) -> None:
        """Forget thread and items: at first, and in a child that a fork has left without them."""
        self._queue.clear()  # what waits in a parent is the parent's to work off
        self.dropped = 0
        """The number of dropped items of which the worker does not know yet."""
        self._dropped_in_all = 0
        self._counting = threading.RLock()  # a signal's handler may put something, too
        self._tokens: SimpleQueue[None] = SimpleQueue()
        self._awake = False
        self._wanted = False
        self._hurries = False
        self._complained = self._told_of_drops = float("-inf")
        self._error: BaseException | None = None
        self._starting = threading.RLock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def waiting(self) -> int:
        """The number of items that wait."""
        return len(self._queue)

    @property
    def running(self) -> bool:
        """True when the thread was started, in this process."""
        return self._thread is not None

    def waits(self) -> bool:
        """Return whether there is something that the worker has not worked off."""
        return bool(self._queue or self.dropped)

    def put(self, item: Item) -> bool:
        """Take an item, without ever waiting.

        Args:
            item: the item.

        Returns:
            Whether it was taken; it is dropped, and counted, when too many are waiting.
        """
        room = len(self._queue) < self._bound
        if room:
            self._queue.append(item)
        else:
            self._overflow()
        if not self._awake:
            self._rouse()
            if self._thread is None:
                self.start()
        return room

    def wake(self) -> None:
        """Let the worker be called, though there may be no item."""
        self._wanted = True
        self._rouse()
        if self._thread is None:
            self.start()

    def drop(self, items: int) -> None:
        """Count items that were dropped elsewhere, say by the worker; negative once it knows."""
        with self._counting:
            self.dropped += items
            self._dropped_in_all += max(0, items)

    def start(self) -> bool:
        """Start the thread, unless it runs; return False when the interpreter starts none."""
        with self._starting:
            if self._thread is None:
                stopping = self._stopping = threading.Event()
                thread = threading.Thread(
                    target=self._run, args=(stopping,), name=self._name, daemon=True
                )
                try:
                    thread.start()
                except RuntimeError:  # the interpreter is ending
                    return False
                self._thread = thread
                flush_in_multiprocessing()
        return True

    def flush(self, seconds: float) -> bool:
        """Wait until all that was put is worked off.

        Args:
            seconds: how long that may take.

        Returns:
            Whether nothing waits any more.
        """
        end = time.monotonic() + seconds
        if not self.waits():
            return True
        self._hurries = True  # no more gathering, and no long pauses
        try:
            if not self.start():
                return self._work_here(end)
            self._rouse()
            while (waiting := self.waits()) and time.monotonic() < end:
                time.sleep(_POLL_SECONDS)
            return not waiting
        finally:
            self._hurries = False

    def close(self, seconds: float = 5.0) -> bool:
        """Flush, and end the thread; the next item starts another.

        Args:
            seconds: how long each of the two may take.

        Returns:
            Whether nothing waits any more.
        """
        done = self.flush(seconds)
        with self._starting:
            thread, self._thread = self._thread, None
            self._stopping.set()
            self._rouse()
        if thread is not None and thread is not threading.current_thread():
            thread.join(seconds)
        return done

    def _rouse(self) -> None:
        # Of all that can wake a thread, a SimpleQueue alone may be used while it is being used.
        self._awake = True
        self._tokens.put(None)

    def _overflow(self) -> None:
        self.drop(1)
        now = time.monotonic()
        if now - self._told_of_drops > _COMPLAIN_SECONDS:
            self._told_of_drops = now
            _log.warning(
                "%s fast enough: %d dropped so far, since %d were waiting",
                self._failing,
                self._dropped_in_all,
                self._bound,
            )

    # What follows runs in the thread; without one, at the end of the interpreter, in a flush.

    def _run(self, stopping: threading.Event) -> None:
        worker = self._begin()
        pause: float | None = None
        try:
            while True:
                due = False
                try:
                    self._tokens.get(timeout=pause)
                    if self._gather and not self._hurries:
                        time.sleep(self._gather)
                except Empty:
                    due = True
                if stopping.is_set():
                    return
                self._awake = False
                if due or self._wanted or self.waits():
                    self._wanted = False
                    pause = self._turn(worker)
        finally:
            worker.close()

    def _turn(self, worker: BackgroundWorker[Item]) -> float | None:
        """Call the worker until nothing waits; return the seconds after which to try again."""
        try:
            while True:
                pause = self._call(worker)
                if not self.waits():
                    return pause
        except Exception as error:  # noqa: BLE001 - it must outlive whatever goes wrong
            self._error = error
            self._complain(error)
            return _HASTY_SECONDS if self._hurries else self._retry

    def _call(self, worker: BackgroundWorker[Item]) -> float | None:
        items = [self._queue[at] for at in range(min(self._batch, len(self._queue)))]
        dropped = self.dropped
        pause = worker.work(items, dropped)
        self._error = None
        for _ in items:  # only now: after a failure they are tried again
            self._queue.popleft()
        if dropped:
            self.drop(-dropped)
        return pause

    def _complain(self, error: Exception) -> None:
        now = time.monotonic()
        if now - self._complained > _COMPLAIN_SECONDS:
            self._complained = now
            _log.warning(
                "%s (%s): they wait, and beyond %d they are dropped and counted",
                self._failing,
                _named(error),
                self._bound,
            )

    def _work_here(self, end: float) -> bool:
        worker = self._begin()
        try:
            while self.waits() and time.monotonic() < end:
                pause = self._turn(worker)
                time.sleep(0 if pause is None else min(pause, _HASTY_SECONDS))
        finally:
            worker.close()
        return not self.waits()

    def hasten(self) -> None:
        """Let the worker begin with what waits, as the process is about to end."""
        if self.waits():
            self._hurries = True
            self.start()
            self._rouse()

    def finish(self, since: float) -> None:
        """Give what waits its time at the end of the process, and tell what had too little.

        Args:
            since: when the end began, on the monotonic clock in seconds.
        """
        if self.flush(max(0.0, since + self._exit_seconds - time.monotonic())):
            return
        left = len(self._queue) + self.dropped
        self._queue.clear()
        self.dropped = 0
        why = "there was no time" if self._error is None else _named(self._error)
        report_loss(f"{self._failing} ({why})", left)
        if self._lost is not None:
            with contextlib.suppress(Exception):
                self._lost(left)


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
