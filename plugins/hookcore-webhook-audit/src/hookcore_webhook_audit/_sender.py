"""The thread that sends messages, so that no tool call ever waits for a receiver."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Final

from hookcore import Background

from ._backoff import Backoff
from ._delivery import Delivery, Outcome, Result
from ._event import Draft
from ._message import Message
from ._private import PlaceError
from ._queue import MessageQueue
from ._spool import Spool
from ._stats import Stats
from ._threads import Keeping, Sending

__all__ = ["FLUSH_SECONDS", "Sender"]

FLUSH_SECONDS: Final = 5.0
"""Seconds that a shutdown waits for messages to leave or to reach the disk."""
_KEEPING_SECONDS: Final = 1.0  # of that, for the disk
_DRAFTS: Final = 4000
"""The most calls that wait to become messages; a caller that finds half of them helps."""
_LEFTOVERS_SECONDS: Final = 60.0
_UNUSABLE_SECONDS: Final = 5.0
_COMPLAIN_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.005
_REFUSED_TIMES: Final = 5
_UNUSABLE: Final = (OSError, sqlite3.Error)
_log = logging.getLogger("hookcore_webhook_audit")


class Sender:
    """Takes messages, sends them one after the other, and keeps those that cannot leave on disk.

    One thread makes messages of what is put, and moves them to the disk when too many wait; a
    second one sends them. Whoever puts something waits for neither, unless some thousands wait.

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
        self.begin()
        self._keeper = Background(
            "webhook-audit-keeper",
            lambda: Keeping(self.keep),
            failing=f"messages to {delivery.destination} cannot be kept",
            bound=_DRAFTS,
        )
        self._sender = Sending(
            self, f"messages cannot be sent to {delivery.destination}", FLUSH_SECONDS
        )

    def begin(self) -> None:
        """Begin without messages: at first, and in a child that a fork has left without threads."""
        self._queue = MessageQueue()  # what waits in the parent is the parent's to send
        self._counting = threading.RLock()  # a signal's handler may call a tool, too
        self._moving = threading.RLock()
        self._sending: Message | None = None
        self._holds = False
        self._hurries = False
        self._looks_at_spool = 0.0
        self._spool_is_back = 0.0
        self._complained = self._complained_of_spool = float("-inf")

    def put(self, message: Message | Draft) -> None:
        """Take a message, or what is to become one."""
        waiting = self._keeper.waiting
        if isinstance(message, Draft) and waiting > _DRAFTS // 2:
            message = message.message()
        if waiting >= _DRAFTS:
            self._keeper.flush(_KEEPING_SECONDS)  # rather than to lose it
        self._keeper.put(message)
        if not self._sender.running:
            self._sender.start()

    def keep(self, items: Sequence[Message | Draft], dropped: int) -> None:
        """Make messages of what was put; when too many wait in memory, they go to the disk."""
        self._drop(dropped)
        for item in items:
            message = _made(item)
            if message is None:
                self._drop(1)
                continue
            # None that is newer may leave before those that are on their way to the disk.
            with self._moving:
                moved = self._queue.append(message)
                if moved:
                    self._keep(moved)
        if items:
            self._sender.wake()

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until every message has left, and keep on disk what does not in time.

        Args:
            seconds: how long to wait at the most.

        Returns:
            Whether no message waits in memory any more.
        """
        end = time.monotonic() + seconds - min(_KEEPING_SECONDS, seconds / 5)
        self._keeper.flush(max(0.0, end - time.monotonic()))
        self._hurries = True  # one attempt more, however long the back-off has still to go
        if self._sender.running or self.waits():
            self._sender.wake()
        while self.waits() and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
        with self._moving:
            sending, rest = self._sending, self._queue.clear()
        if (rest or sending is not None) and not self._keep(rest, sending):
            return False
        with self._moving:
            if self._sending is sending:  # it may still arrive, and waits on disk like the others
                self._sending = None
        return True

    def close(self) -> None:
        """Flush, and end the threads; the next message starts others."""
        self.flush()
        self._keeper.close(FLUSH_SECONDS)
        self._sender.close(FLUSH_SECONDS)

    def stats(self) -> Stats:
        """Return what became of the messages so far.

        Raises:
            OSError: the spool cannot be read.
            sqlite3.Error: the same.
        """
        self._keeper.flush(_KEEPING_SECONDS)  # what was put counts where it is going to
        with self._moving:
            spooled = self._spool.count()
        return Stats(
            delivered=self._delivered,
            queued=self._keeper.waiting + len(self._queue) + (self._sending is not None),
            spooled=spooled,
            dropped=self._dropped,
            refused=self._refused,
        )

    def waits(self) -> bool:
        """Return whether a message waits in memory."""
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

    # What follows runs in the thread that sends.

    def step(self) -> float:
        """Send one message, or none; return the seconds until there is more to do."""
        left = self._backoff.left()
        if left and not self._hurries:
            with self._holding():
                self._keep_queue()
            return left
        with self._holding():
            with self._moving:
                message = self._from_spool()
                spooled = message is not None
                if message is None:
                    message = self._sending = self._queue.pop()
            if message is None:
                self._hurries = False
                return _LEFTOVERS_SECONDS
            self._settle(message, self._attempt(message), spooled=spooled)
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
        with self._moving:
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
            with self._moving, contextlib.suppress(*_UNUSABLE):  # its lease will end
                self._spool.put_back(message.id)
        else:
            again = Message(message.id, message.at, message.body, message.attempts + 1)
            self._keep_queue(again)

    def _forget(self, message: Message) -> None:
        # Also when it came from memory: a flush may have kept it meanwhile. What cannot be
        # removed is sent once more, with the same id.
        with self._moving, contextlib.suppress(*_UNUSABLE):
            self._spool.remove(message.id)

    def _tell(self, result: Result) -> None:
        if not self._backoff.failures:
            _log.warning(
                "webhook-audit: %s does not take messages (%s): they wait on disk",
                self._delivery.destination,
                result.why,
            )


def _made(item: Message | Draft) -> Message | None:
    if isinstance(item, Message):
        return item
    try:
        return item.message()
    except Exception as error:  # noqa: BLE001 - one that cannot be made stops no other
        _log.error("webhook-audit: a message cannot be made: %s", type(error).__name__)
        return None
