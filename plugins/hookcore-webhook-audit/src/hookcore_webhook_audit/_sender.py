"""The thread that sends messages, so that no tool call ever waits for a receiver."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Final

from ._backoff import Backoff
from ._delivery import Delivery, Outcome, Result
from ._message import Message
from ._private import PlaceError
from ._queue import MessageQueue
from ._spool import Spool
from ._stats import Stats

__all__ = ["FLUSH_SECONDS", "Sender"]

FLUSH_SECONDS: Final = 5.0
"""How long a shutdown waits for messages to leave or to reach the disk."""
_KEEPING_SECONDS: Final = 1.0  # of that, for the disk
_LEFTOVERS_SECONDS: Final = 60.0
_UNUSABLE_SECONDS: Final = 5.0
_COMPLAIN_SECONDS: Final = 60.0
_REFUSED_TIMES: Final = 5
_UNUSABLE: Final = (OSError, sqlite3.Error)
_log = logging.getLogger("hookcore_webhook_audit")


class Sender:
    """Takes messages, sends them one after the other, and keeps those that cannot leave on disk.

    Args:
        delivery: makes one attempt.
        spool: keeps messages on disk.
        backoff: says when the next attempt may be made.
    """

    def __init__(self, delivery: Delivery, spool: Spool, backoff: Backoff) -> None:
        self._delivery = delivery
        self._spool = spool
        self._backoff = backoff
        self._delivered = self._dropped = self._refused = 0
        self._renew()
        _senders.add(self)

    def _renew(self) -> None:
        """Begin without a thread: at first, and in a child that a fork has left without it."""
        self._queue = MessageQueue()  # what waits in the parent is the parent's to send
        self._news = threading.Event()
        self._starting = threading.RLock()  # a signal's handler may call a tool, too
        self._counting = threading.RLock()
        self._moving = threading.RLock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._sending: Message | None = None
        self._holds = False
        self._hurries = False
        self._looks_at_spool = 0.0
        self._spool_is_back = 0.0
        self._complained = self._complained_of_spool = float("-inf")

    def put(self, message: Message) -> None:
        """Take a message; when too many wait, they are moved to the disk."""
        moved = self._queue.append(message)
        if moved:
            self._keep(moved)
        self._news.set()
        if self._thread is None:
            self._start()

    def _start(self) -> None:
        with self._starting, contextlib.suppress(RuntimeError):  # the interpreter is ending
            if self._thread is None:
                self._stop = threading.Event()
                thread = threading.Thread(
                    target=self._run, args=(self._stop,), name="webhook-audit", daemon=True
                )
                thread.start()
                self._thread = thread

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until every message has left, and keep on disk what does not in time.

        Args:
            seconds: how long to wait at the most.

        Returns:
            Whether no message waits in memory any more.
        """
        end = time.monotonic() + seconds - min(_KEEPING_SECONDS, seconds / 5)
        self._hurries = True  # one attempt more, however long the back-off has still to go
        self._news.set()
        while self._thread is not None and self._waits() and time.monotonic() < end:
            time.sleep(0.005)
        with self._moving:
            sending, rest = self._sending, self._queue.clear()
        if (rest or sending is not None) and not self._keep(rest, sending):
            return False
        with self._moving:
            if self._sending is sending:  # it may still arrive, and waits on disk like the others
                self._sending = None
        return True

    def close(self) -> None:
        """Flush, and end the thread; the next message starts another."""
        self.flush()
        with self._starting:
            thread, self._thread = self._thread, None
            self._stop.set()
            self._news.set()
        if thread is not None:
            thread.join(FLUSH_SECONDS)

    def stats(self) -> Stats:
        """Return what became of the messages so far.

        Raises:
            OSError: the spool cannot be read.
            sqlite3.Error: the same.
        """
        return Stats(
            delivered=self._delivered,
            queued=len(self._queue) + (self._sending is not None),
            spooled=self._spool.count(),
            dropped=self._dropped,
            refused=self._refused,
        )

    def _waits(self) -> bool:
        return bool(self._queue) or self._holds

    def _keep(self, messages: list[Message], sending: Message | None = None) -> bool:
        """Move messages, and the one that is being sent, to the disk; return whether it worked."""
        dropped, kept = 0, time.monotonic() >= self._spool_is_back
        if kept:
            try:
                dropped = self._spool.add([sending, *messages] if sending else messages)
                self._looks_at_spool = 0.0
            except _UNUSABLE as error:
                kept = False
                self._leave_spool(error)
        if not kept:
            dropped = self._queue.put_back(messages)
        self._drop(dropped)
        return kept

    def _leave_spool(self, error: Exception) -> None:
        now = time.monotonic()
        self._spool_is_back = now + _UNUSABLE_SECONDS
        if now - self._complained_of_spool > _COMPLAIN_SECONDS:
            self._complained_of_spool = now
            _log.error(
                "webhook-audit: the spool %s cannot be used (%s): messages wait in memory only",
                self._spool.file,
                error if isinstance(error, PlaceError) else type(error).__name__,
            )

    def _drop(self, messages: int) -> None:
        if not messages:
            return
        with self._counting:
            self._dropped += messages
        if time.monotonic() - self._complained > _COMPLAIN_SECONDS:
            self._complained = time.monotonic()
            _log.error(
                "webhook-audit: no room for messages to %s: %d dropped so far, the oldest first",
                self._delivery.destination,
                self._dropped,
            )

    # What follows runs in the thread.

    def _run(self, stop: threading.Event) -> None:
        pause = 0.0
        while not stop.is_set():
            self._news.wait(pause)
            self._news.clear()
            try:
                pause = self._step()
            except Exception as error:  # noqa: BLE001 - it must outlive whatever goes wrong
                _log.error("webhook-audit: sending failed: %s", type(error).__name__)
                pause = 1.0

    def _step(self) -> float:
        """Send one message, or none; return the seconds until there is more to do."""
        left = self._backoff.left()
        if left and not self._hurries:
            with self._holding():
                self._keep_queue()
            return left
        spooled = self._from_spool()
        if spooled is not None:
            self._settle(spooled, self._attempt(spooled), spooled=True)
            return 0.0
        with self._holding():
            with self._moving:
                message = self._sending = self._queue.pop()
            if message is None:
                self._hurries = False
                return _LEFTOVERS_SECONDS
            self._settle(message, self._attempt(message), spooled=False)
        return 0.0

    def _attempt(self, message: Message) -> Result:
        try:
            return self._delivery.attempt(message)
        except Exception as error:  # noqa: BLE001 - no message may be lost, whatever goes wrong
            return Result(Outcome.FAILED, type(error).__name__)

    @contextlib.contextmanager
    def _holding(self) -> Iterator[None]:
        """Tell a flush that a message may be neither in the queue nor on disk."""
        self._holds = True
        try:
            yield
        finally:
            self._holds, self._sending = False, None

    def _keep_queue(self, *older: Message) -> None:
        messages = [*older, *self._queue.clear()]
        if messages:
            self._keep(messages)

    def _from_spool(self) -> Message | None:
        """Return the oldest message on disk, which is older than all in memory."""
        if time.monotonic() < max(self._looks_at_spool, self._spool_is_back):
            return None
        try:
            message = self._spool.take()
        except _UNUSABLE as error:
            self._leave_spool(error)
            return None
        if message is None:  # other processes may leave some
            self._looks_at_spool = time.monotonic() + _LEFTOVERS_SECONDS
        return message

    def _settle(self, message: Message, result: Result, *, spooled: bool) -> None:
        if result.outcome is Outcome.DELIVERED:
            self._delivered += 1
            if self._backoff.failures:
                _log.warning("webhook-audit: %s answers again", self._delivery.destination)
            self._backoff.succeeded()
            self._forget(message)
            return
        self._tell(result)
        self._backoff.failed(result.wait)
        self._hurries = False
        if result.outcome is Outcome.REFUSED and message.attempts + 1 >= _REFUSED_TIMES:
            self._refused += 1
            _log.error("webhook-audit: message %s is given up: %s", message.id, result.why)
            self._forget(message)
        elif spooled:
            with contextlib.suppress(*_UNUSABLE):  # its lease will end
                self._spool.put_back(message.id)
        else:
            again = Message(message.id, message.at, message.body, message.attempts + 1)
            self._keep_queue(again)

    def _forget(self, message: Message) -> None:
        # Also when it came from memory: a flush may have kept it meanwhile. What cannot be
        # removed is sent once more, with the same id.
        with contextlib.suppress(*_UNUSABLE):
            self._spool.remove(message.id)

    def _tell(self, result: Result) -> None:
        if not self._backoff.failures:
            _log.warning(
                "webhook-audit: %s does not take messages (%s): they wait on disk",
                self._delivery.destination,
                result.why,
            )


_senders: weakref.WeakSet[Sender] = weakref.WeakSet()


def _at_exit() -> None:
    end = time.monotonic() + FLUSH_SECONDS
    for sender in list(_senders):
        sender.flush(max(0.0, end - time.monotonic()))


def _after_fork() -> None:
    for sender in list(_senders):
        sender._renew()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
