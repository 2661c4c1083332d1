"""Decisions that were lost when a process ended, noted beside a log that could not be written.

A note is an empty file, and its name says everything: a full disk still has room for one.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Loss", "losses", "note_loss"]

_BETWEEN = ".lost-"


class Loss(NamedTuple):
    """The losses of one process."""

    note: Path
    at: float
    """Seconds since 1970."""
    process: int
    events: int


def note_loss(log: Path, events: int) -> None:
    """Leave a note that events were lost.

    Args:
        log: the log.
        events: how many.

    Raises:
        OSError: it cannot be left.
    """
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    note = log.with_name(f"{log.name}{_BETWEEN}{os.getpid()}-{events}-{os.urandom(4).hex()}")
    os.close(os.open(note, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def losses(log: Path) -> list[Loss]:
    """Read the notes beside a log, the oldest first."""
    found = []
    for note in log.parent.glob(f"{log.name}{_BETWEEN}*"):
        # Anything else of that name is not ours to count.
        with contextlib.suppress(OSError, ValueError):
            process, events, _ = note.name.rpartition(_BETWEEN)[2].split("-")
            found.append(Loss(note, note.lstat().st_mtime, int(process), int(events)))
    return sorted(found, key=lambda loss: loss.at)
