"""The counts of what became of the messages so far."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Stats"]


@dataclass(frozen=True, slots=True)
class Stats:
    """The counts of what became of the messages in this process.

    Args:
        delivered: the receiver took them.
        queued: wait in memory.
        spooled: wait on disk, those of other processes with the same webhook included.
        dropped: lost, because there was no more room for them.
        refused: lost, because the receiver refused each of them again and again.
    """

    delivered: int
    queued: int
    spooled: int
    dropped: int
    refused: int
