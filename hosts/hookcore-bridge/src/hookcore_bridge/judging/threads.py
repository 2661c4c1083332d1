"""Threads that may take too long: who asked goes on without them, and there are only so many."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

__all__ = ["CrowdedError", "Threads", "TooLateError", "result_of"]

MOST: Final = 256
"""The threads of one daemon: calls that wait for their end, and policies that hang."""


class CrowdedError(Exception):
    """There are too many threads already."""


class TooLateError(Exception):
    """The policies have not answered in time."""


class Threads:
    """The threads in which policies run.

    Args:
        most: how many there may be at a time.
    """

    def __init__(self, most: int = MOST) -> None:
        self._free = threading.BoundedSemaphore(most)

    def start(self, work: Callable[[], Any]) -> Future[Any]:
        """Run ``work`` in a thread, in a context of its own, and return its future result.

        Raises:
            CrowdedError: there are too many threads.
        """
        if not self._free.acquire(blocking=False):
            raise CrowdedError
        future: Future[Any] = Future()

        def run() -> None:
            try:
                future.set_result(contextvars.Context().run(work))
            except BaseException as error:  # noqa: BLE001 - it is the asker's, whatever it is
                future.set_exception(error)
            finally:
                self._free.release()

        try:
            threading.Thread(target=run, name="hookcore-bridge", daemon=True).start()
        except BaseException:
            self._free.release()
            raise
        return future


def result_of(future: Future[Any], seconds: float) -> Any:
    """Return a thread's result, or raise what it raised.

    Raises:
        TooLateError: there is none in time.
    """
    from concurrent.futures import wait

    if not wait([future], timeout=max(seconds, 0)).done:
        raise TooLateError
    return future.result()
