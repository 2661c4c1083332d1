"""Getting events into the log without a dispatch ever waiting for it."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import sqlite3
import threading
import time
import weakref
from collections import deque
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

from ..disk.state import StateError, make_state_folder
from .store import LOG_NAME, Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookcore_specs import HookDispatchedEvent

    from ..config import LogConfig

__all__ = ["LogWriter", "attach", "writer_of"]

_log = logging.getLogger("hookcore")

QUEUE_BOUND = 10_000
"""The most events that wait to be written; what comes on top is dropped and counted."""
_BATCH = 500
_GATHER_SECONDS = 0.05
_RETRY_SECONDS = 1.0
_PRUNE_SECONDS = 60.0
_PRUNE_EVENTS = 2_000
_EXIT_SECONDS = 2.0
# An event that a host or a test has made of something odd; trying again would not help.
_UNWRITABLE = (
    sqlite3.DataError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    ArithmeticError,
    AttributeError,
    TypeError,
    ValueError,
)


class Subscribable(Protocol):
    """A manager, as far as the log needs one."""

    def subscribe(self, function: Callable[[HookDispatchedEvent], object], /) -> Callable[[], None]:
        """Call a function with each event; return what ends that."""


class LogWriter:
    """A bounded queue and the thread that empties it into one log file.

    Args:
        file: The log.
        config: The bounds that the log keeps.
        bound: How many events may wait.
    """

    def __init__(self, file: Path, config: LogConfig, *, bound: int = QUEUE_BOUND) -> None:
        self.file = file
        self._config = config
        self._bound = bound
        self._queue: deque[HookDispatchedEvent] = deque()
        self._hosts: deque[tuple[str, tuple[str, ...]]] = deque()
        self._renew()
        _writers.add(self)

    def _renew(self) -> None:
        """Begin without a thread: at first, and in a child that a fork has left without it."""
        self._queue.clear()
        self._hosts.clear()
        self.dropped = 0
        """How many events were dropped in this process and are not yet counted in the log."""
        self._counting = threading.RLock()  # a signal's handler may dispatch, too
        self._tokens: SimpleQueue[None] = SimpleQueue()
        self._awake = False
        self._closing = False
        self._complained = 0.0
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, event: HookDispatchedEvent) -> None:
        """Take an event; it is dropped, and counted, when too many are waiting."""
        if len(self._queue) >= self._bound:
            self._drop(1)
        else:
            self._queue.append(event)
        if not self._awake:
            self._rouse()
            if self._thread is None:
                self.start()

    def _rouse(self) -> None:
        # Of all that can wake a thread, a SimpleQueue alone may be used while it is being used.
        self._awake = True
        self._tokens.put(None)

    def _drop(self, events: int) -> None:
        with self._counting:
            self.dropped += events

    def declare(self, host: str, points: tuple[str, ...]) -> None:
        """Take a host's word on the points that it dispatches."""
        self._hosts.append((host, points))
        self._rouse()

    def start(self) -> None:
        """Start the thread, unless it runs."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="hookcore decision log", daemon=True
                )
                self._thread.start()

    def flush(self, seconds: float = _EXIT_SECONDS) -> bool:
        """Wait until all that was taken is written; return whether that came in time."""
        end = time.monotonic() + seconds
        self._closing = True  # no more gathering: what waits is written now
        try:
            # Events leave the queue only when they are written.
            while (waiting := self._waits()) and time.monotonic() < end:
                self._rouse()
                time.sleep(0.005)
            return not waiting
        finally:
            self._closing = False

    def _waits(self) -> bool:
        return bool(self._queue or self._hosts or self.dropped)

    # What follows runs in the thread.

    def _run(self) -> None:
        store: Store | None = None
        state = _Pace()
        while True:
            self._tokens.get()
            if not self._closing:
                time.sleep(_GATHER_SECONDS)
            self._awake = False
            try:
                if store is not None and not store.is_current():
                    store.close()
                    store = None
                store = store or self._open()
                self._empty(store, state)
            except Exception as error:  # noqa: BLE001 - it must outlive whatever goes wrong
                self._complain(error)
                if store is not None:
                    with contextlib.suppress(sqlite3.Error):
                        store.close()
                    store = None
                time.sleep(_RETRY_SECONDS)
                if self._waits():
                    self._rouse()

    def _open(self) -> Store:
        return Store(
            self.file,
            max_megabytes=self._config.max_megabytes,
            max_days=self._config.max_days,
        )

    def _empty(self, store: Store, pace: _Pace) -> None:
        while self._hosts:
            store.declare(*self._hosts[0])
            self._hosts.popleft()
        while self._queue or self.dropped:
            batch = [self._queue[at] for at in range(min(_BATCH, len(self._queue)))]
            dropped = self.dropped
            try:
                store.write(batch, dropped)
            except _UNWRITABLE:
                dropped = 0
                self._drop(_one_by_one(store, batch))
            for _ in batch:  # only now: after a failure they are tried again
                self._queue.popleft()
            self._drop(-dropped)
            if pace.due(len(batch)):
                store.prune()

    def _complain(self, error: Exception) -> None:
        now = time.monotonic()
        if not self._complained or now - self._complained > _PRUNE_SECONDS:
            self._complained = now
            _log.warning(
                "decisions cannot be written to %s (%s: %s): they wait, and beyond %d they are "
                "dropped and counted; 'hookctl doctor' tells more",
                self.file,
                type(error).__name__,
                error,
                self._bound,
            )


def _one_by_one(store: Store, events: list[HookDispatchedEvent]) -> int:
    """Write what can be written of a batch, and return how many events cannot."""
    lost = 0
    for event in events:
        try:
            store.write([event], 0)
        except _UNWRITABLE:
            lost += 1
    return lost


class _Pace:
    """Says when the log is due for pruning."""

    def __init__(self) -> None:
        self._events = _PRUNE_EVENTS
        self._last = 0.0

    def due(self, written: int) -> bool:
        self._events += written
        now = time.monotonic()
        if self._events < _PRUNE_EVENTS and now - self._last < _PRUNE_SECONDS:
            return False
        self._events, self._last = 0, now
        return True


_writers: weakref.WeakSet[LogWriter] = weakref.WeakSet()
_by_file: dict[Path, LogWriter] = {}
_by_manager: weakref.WeakKeyDictionary[Subscribable, LogWriter] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def attach(manager: Subscribable, config: LogConfig) -> LogWriter | None:
    """Let a manager's decisions go into the user's log.

    Args:
        manager: The manager.
        config: The bounds of the log.

    Returns:
        The writer; None, with a line in Python's log, when the log cannot be kept at all.
    """
    try:
        file = make_state_folder() / LOG_NAME
    except StateError as error:
        _log.warning("decisions are not logged: %s", error)
        return None
    with _lock:
        writer = _by_file.get(file)
        if writer is None:
            writer = _by_file[file] = LogWriter(file, config)
    writer.start()
    _by_manager[manager] = writer
    manager.subscribe(writer.put)
    return writer


def writer_of(manager: Subscribable) -> LogWriter | None:
    """Return the writer of a manager's decisions; None when they are not logged."""
    return _by_manager.get(manager)


def _at_exit() -> None:
    end = time.monotonic() + _EXIT_SECONDS
    for writer in list(_writers):
        writer.flush(max(0.0, end - time.monotonic()))


def _after_fork() -> None:
    global _lock  # noqa: PLW0603 - another thread may have held it when the process forked
    _lock = threading.Lock()
    for writer in list(_writers):
        writer._renew()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
