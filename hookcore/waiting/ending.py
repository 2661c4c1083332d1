"""The things to flush when the process ends, and to begin anew when it forks."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import time
import weakref
from typing import Protocol

__all__ = ["Ending", "flush_in_multiprocessing", "look_after", "report_loss"]


class Ending(Protocol):
    """Something that has a thread of its own."""

    def hasten(self) -> None:
        """Begin to work off what waits."""

    def finish(self, since: float) -> None:
        """Work off what waits, in bounded time, since the end of the process began."""

    def renew(self) -> None:
        """Begin anew in a forked child, in which no thread of its parent runs."""


_all: weakref.WeakValueDictionary[int, Ending] = weakref.WeakValueDictionary()
_pools: set[int] = set()


def look_after(ending: Ending) -> None:
    """Finish something at the end of the process, and renew it after a fork, while it lives."""
    _all[id(ending)] = ending


def flush_in_multiprocessing() -> None:
    """Finish at the end of a child of multiprocessing, too: it ends without ``atexit``."""
    module = sys.modules.get("multiprocessing.util")
    if module is None or os.getpid() in _pools:
        return
    from multiprocessing import parent_process

    if parent_process() is not None:
        _pools.add(os.getpid())
        module.Finalize(None, _finish_all, exitpriority=0)


def report_loss(why: str, left: int) -> None:
    """Say on standard error what had too little time at the end of the process.

    Args:
        why: what failed, and why.
        left: how many items are lost.
    """
    with contextlib.suppress(Exception):
        # Not by logging, which may have ended by now, and is often silent.
        sys.stderr.write(f"hookcore: {why}: {left} are lost, since the process ends\n")


def _finish_all() -> None:
    since, waiting = time.monotonic(), list(_all.values())
    for each in waiting:  # all at once, since all have the same time
        each.hasten()
    for each in waiting:
        each.finish(since)


def _renew_all() -> None:
    for each in list(_all.values()):
        each.renew()


atexit.register(_finish_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
