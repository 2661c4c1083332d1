"""The way into the log, beside the host: a queue, and the thread that chains what is in it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Final

from hookcore import Background, HookDispatchedEvent

from ._anchors import tell_anchor
from ._bodies import Called, entry_of_call, entry_of_decision, now
from ._chain import START, Chain
from ._record import Entry
from .settings import AuditSettings

__all__ = ["AuditWriter", "Item"]

Item = HookDispatchedEvent | Called
_BOUND: Final = 10_000
_FULL: Final = 9_000
_SYNC_SECONDS: Final = 1.0
_CLOSE_SECONDS: Final = 1.0


class AuditWriter(Background[Item]):
    """Takes what is to be recorded without ever waiting.

    Args:
        chain: the log.
        settings: what the operator wants.
    """

    def __init__(self, chain: Chain, settings: AuditSettings) -> None:
        self.chain = chain
        self._failure: str | None = None
        super().__init__(
            "hookcore audit log",
            lambda: _Writing(self, settings),
            failing=f"the audit log cannot be written to {settings.path}",
            bound=_BOUND,
            gather=0.02,
        )

    @property
    def away(self) -> str | None:
        """The reason why nothing can be recorded now; None when it can."""
        if self._failure is not None:
            return f"nothing can be recorded ({self._failure})"
        if self.waiting >= _FULL:
            return f"nothing can be recorded ({self.waiting} records wait)"
        return None

    def renew(self) -> None:
        """Begin anew in a forked child, which holds neither the lock nor the file."""
        self.chain.forget()
        self._failure = None
        super().renew()

    def finish(self, since: float) -> None:
        """Write what waits at the end of the process, sign the end and tell it.

        Args:
            since: when the end began, on the monotonic clock in seconds.
        """
        super().finish(since)
        if self.running:
            self.close(_CLOSE_SECONDS)

    def note(self, failure: OSError | None) -> None:
        """Remember how the last attempt to write ended."""
        self._failure = None if failure is None else type(failure).__name__


class _Writing:
    """The work of the thread."""

    def __init__(self, writer: AuditWriter, settings: AuditSettings) -> None:
        self._writer = writer
        self._chain = writer.chain
        self._fsync = settings.fsync
        self._anchor = settings.anchor
        self._anchor_seconds = settings.anchor_every_s
        self._head = self._anchored = START
        self._dirty = False
        self._unsynced: OSError | None = None
        self._synced = self._told = time.monotonic()

    def work(self, items: Sequence[Item], dropped: int) -> float | None:
        entries = [entry for item in items if (entry := _entry_of(item)) is not None]
        if dropped:
            entries.insert(0, Entry("lost", now(), {"count": dropped}))
        if entries:
            try:
                self._head = self._chain.append(entries)
            except OSError as error:
                self._writer.note(error)
                raise
            self._dirty = True
            self._writer.note(self._unsynced)
        return min(self._pauses(time.monotonic()), default=None)

    def _pauses(self, clock: float) -> Iterator[float]:
        """Sync and tell the anchor where it is time; yield the seconds until it is again."""
        if self._dirty and self._fsync != "never":
            left = self._synced + _SYNC_SECONDS - clock
            if self._fsync == "always" or left <= 0:
                self._sync(clock)
                left = _SYNC_SECONDS
            if self._dirty:
                yield left
        if self._head != self._anchored:
            left = self._told + self._anchor_seconds - clock
            if left > 0:
                yield left
            else:
                self._tell(clock)

    def _sync(self, clock: float) -> None:
        self._synced, self._dirty, self._unsynced = clock, False, None
        try:
            self._chain.sync()
        except OSError as error:
            # Not raised: what was appended would be appended again.
            self._dirty, self._unsynced = True, error
        self._writer.note(self._unsynced)

    def _tell(self, clock: float) -> None:
        self._told, self._anchored = clock, self._head
        tell_anchor(self._anchor, self._head)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if self._head.seq >= 0:
                self._head = self._chain.sign_end()
                if self._fsync != "never":
                    self._chain.sync()
        if self._head != self._anchored:
            self._tell(time.monotonic())
        self._chain.close()


def _entry_of(item: Item) -> Entry | None:
    try:
        return entry_of_call(item) if isinstance(item, tuple) else entry_of_decision(item)
    except Exception as error:  # noqa: BLE001 - a host may have made an event of something odd
        return Entry("unreadable", now(), {"error": type(error).__name__})
