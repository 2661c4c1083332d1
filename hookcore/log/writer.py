"""Getting events into the log without a dispatch ever waiting for it."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import time
import weakref
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..disk.state import StateError, make_state_folder
from ..waiting.background import Background
from .losses import note_loss
from .store import LOG_NAME, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hookcore_specs import HookDispatchedEvent

    from ..config import LogConfig

__all__ = ["LogWriter", "attach", "writer_of"]

_log = logging.getLogger("hookcore")

QUEUE_BOUND = 20_000
"""The most events that wait to be written; what comes on top is dropped and counted."""
_BATCH = 8192
_GATHER_SECONDS = 0.05
_RETRY_SECONDS = 1.0
_PRUNE_SECONDS = 60.0
_PRUNE_EVENTS = 10_000
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


class LogWriter(Background["HookDispatchedEvent"]):
    """A bounded queue and the thread that empties it into one log file.

    Args:
        file: the log.
        config: the bounds that the log keeps.
        bound: how many events may wait.
    """

    def __init__(self, file: Path, config: LogConfig, *, bound: int = QUEUE_BOUND) -> None:
        self.file = file
        self.config = config
        self.hosts: deque[tuple[str, tuple[str, ...]]] = deque()
        """The points that hosts declared and that are not written yet."""
        super().__init__(
            "hookcore decision log",
            lambda: _Writing(self),
            failing=f"decisions cannot be written to {file}",
            bound=bound,
            batch=_BATCH,
            gather=_GATHER_SECONDS,
            retry=_RETRY_SECONDS,
            exit_seconds=_EXIT_SECONDS,
            lost=lambda events: note_loss(file, events),
        )

    def declare(self, host: str, points: tuple[str, ...]) -> None:
        """Take a host's word on the points that it dispatches."""
        self.hosts.append((host, points))
        self.wake()

    def waits(self) -> bool:
        """Return whether there is something that is not written yet."""
        return bool(self.hosts) or super().waits()

    def renew(self) -> None:
        """Forget what waits, which is the parent's to write."""
        self.hosts.clear()
        super().renew()


class _Writing:
    """The work of the thread: one store at a time, opened anew where the file was moved away."""

    def __init__(self, writer: LogWriter) -> None:
        self._writer = writer
        self._store: Store | None = None
        self._written = _PRUNE_EVENTS
        self._pruned = 0.0

    def work(self, items: Sequence[HookDispatchedEvent], dropped: int) -> float | None:
        try:
            store = self._current()
            # Before the events: they would be written again if it failed after them.
            self._prune(store)
            self._write(store, items, dropped)
        except BaseException:
            self.close()
            raise
        self._written += len(items)
        return None

    def _current(self) -> Store:
        if self._store is not None and not self._store.is_current():
            self.close()
        if self._store is None:
            config = self._writer.config
            self._store = Store(
                self._writer.file, max_megabytes=config.max_megabytes, max_days=config.max_days
            )
        return self._store

    def _write(self, store: Store, events: Sequence[HookDispatchedEvent], dropped: int) -> None:
        hosts = self._writer.hosts
        while hosts:
            store.declare(*hosts[0])
            hosts.popleft()
        try:
            store.write(events, dropped)
        except _UNWRITABLE:
            store.write([], dropped)
            self._writer.drop(_what_can_be_written(store, events))

    def _prune(self, store: Store) -> None:
        now = time.monotonic()
        if self._written >= _PRUNE_EVENTS or now - self._pruned >= _PRUNE_SECONDS:
            store.prune()
            self._written, self._pruned = 0, now

    def close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            with contextlib.suppress(sqlite3.Error):
                store.close()


def _what_can_be_written(store: Store, events: Sequence[HookDispatchedEvent]) -> int:
    """Write all of a batch but the events that cannot be, and return how many those are."""
    if len(events) <= 1:
        return len(events)  # nothing smaller could be tried
    half, lost = len(events) // 2, 0
    for part in (events[:half], events[half:]):
        try:
            store.write(part, 0)
        except _UNWRITABLE:
            lost += _what_can_be_written(store, part)
    return lost


_by_file: dict[Path, LogWriter] = {}
_by_manager: weakref.WeakKeyDictionary[object, LogWriter] = weakref.WeakKeyDictionary()


def attach(manager: Subscribable, config: LogConfig) -> Callable[[], None] | None:
    """Let a manager's decisions go into the user's log.

    Args:
        manager: the manager.
        config: the bounds of the log.

    Returns:
        A function that ends it; None, with a line in Python's log, when the log cannot be kept at
        all.
    """
    try:
        file = make_state_folder() / LOG_NAME
    except StateError as error:
        _log.warning("decisions are not logged: %s", error)
        return None
    # Not under a lock, which a fork might leave locked: the first one that is set stays.
    writer = _by_file.get(file) or _by_file.setdefault(file, LogWriter(file, config))
    writer.start()
    _by_manager[manager] = writer
    unsubscribe = manager.subscribe(writer.put)
    reference = weakref.ref(manager)

    def detach() -> None:
        unsubscribe()
        _by_manager.pop(reference(), None)

    return detach


def writer_of(manager: object) -> LogWriter | None:
    """Return the writer of a manager's decisions; None when they are not logged."""
    return _by_manager.get(manager)
