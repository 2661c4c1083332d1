"""The two threads of a sender: one keeps messages in their order, the other one sends them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from hookcore import Background

from ._event import Draft
from ._message import Message

__all__ = ["Keeping", "Sending"]


class _Owner(Protocol):
    """A sender, as its second thread sees it."""

    def begin(self) -> None:
        """Begin without messages."""

    def step(self) -> float:
        """Send one message, or none; return the seconds until there is more to do."""

    def waits(self) -> bool:
        """Return whether a message waits in memory."""

    def flush(self, seconds: float) -> bool:
        """Wait until every message has left, and keep on disk what does not in time."""


class Keeping:
    """The work of the first thread on what is put.

    Args:
        keep: takes what was put and how much was dropped.
    """

    def __init__(self, keep: Callable[[Sequence[Message | Draft], int], object]) -> None:
        self._keep = keep

    def work(self, items: Sequence[Message | Draft], dropped: int) -> float | None:
        """Keep messages."""
        self._keep(items, dropped)
        return None

    def close(self) -> None:
        """Let go of nothing."""


class Sending(Background[None]):
    """The second thread: it has no items, since the oldest message may be on disk.

    Args:
        owner: whose messages it sends.
        failing: the beginning of what is told when that fails.
        seconds: how long it may take at the end of the process.
    """

    def __init__(self, owner: _Owner, failing: str, seconds: float) -> None:
        self._owner = owner
        self._seconds = seconds
        super().__init__("webhook-audit", lambda: _Step(owner), failing=failing)

    def renew(self) -> None:
        """Begin anew in a forked child."""
        self._owner.begin()
        super().renew()

    def waits(self) -> bool:
        """Return whether a message waits in memory."""
        return self._owner.waits()

    def finish(self, since: float) -> None:
        """Let what waits leave at the end of the process, or reach the disk.

        Args:
            since: when the end began, on the monotonic clock.
        """
        self._owner.flush(max(0.0, since + self._seconds - time.monotonic()))


class _Step:
    """The work of the second thread."""

    def __init__(self, owner: _Owner) -> None:
        self._owner = owner

    def work(self, items: Sequence[None], dropped: int) -> float | None:  # noqa: ARG002 - it has none
        return self._owner.step()

    def close(self) -> None:
        """Let go of nothing."""
