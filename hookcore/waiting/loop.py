"""The manager's own event loop on a thread in the background, for async hooks of sync hosts."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

from ..errors import BackgroundLoopError
from ..later import asyncio, futures

__all__ = ["BackgroundLoop"]


class BackgroundLoop:
    """An event loop that starts at first use and ends with the process, or at :meth:`close`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, awaitable: Awaitable[Any]) -> Any:
        """Run an awaitable to its end on the loop and return its result, or raise its exception.

        It sees the caller's context variables. An interrupt of the waiting thread cancels it.

        Raises:
            BackgroundLoopError: the caller is on this very loop.
        """
        if self.is_current():
            _discard(awaitable)
            raise BackgroundLoopError(
                "an async hook called the sync dispatch() for a point that has async hooks: "
                "await adispatch() (or the boundary's async twin) there instead"
            )
        done: futures.Future[tuple[bool, Any]] = futures.Future()
        tasks: list[asyncio.Task[None]] = []

        def start() -> None:
            task = loop.create_task(_deliver(awaitable, done))
            task.add_done_callback(finish)
            tasks.append(task)

        def finish(_task: asyncio.Task[None]) -> None:
            if not done.done():  # cancelled before it had begun
                _discard(awaitable)
                done.set_result((False, asyncio.CancelledError()))

        with self._lock:  # so that a close() comes either before or after, and never in between
            loop = self._started()
            loop.call_soon_threadsafe(start, context=contextvars.copy_context())
        try:
            succeeded, value = done.result()
        except BaseException:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
            raise
        if succeeded:
            return value
        raise value

    def is_current(self) -> bool:
        """Tell whether the calling thread is running this loop."""
        return self._thread is threading.current_thread()

    def close(self) -> None:
        """Stop the loop and cancel what runs on it; a later use starts another one."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
            if loop is None or thread is None or not thread.is_alive():
                return
            loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():  # where a hook closes its own manager
            thread.join()

    def _started(self) -> asyncio.AbstractEventLoop:
        # The caller holds the lock. A forked child inherits the object but not the thread.
        if self._loop is None or self._thread is None or not self._thread.is_alive():
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=_serve, args=(self._loop,), name="hookcore-background-loop", daemon=True
            )
            self._thread.start()
        return self._loop


def _discard(awaitable: Awaitable[Any]) -> None:
    if asyncio.iscoroutine(awaitable):
        awaitable.close()


async def _deliver(awaitable: Awaitable[Any], done: futures.Future[tuple[bool, Any]]) -> None:
    # The exception travels as a value: raised in the task, a KeyboardInterrupt would end the loop.
    try:
        done.set_result((True, await awaitable))
    except BaseException as error:  # noqa: BLE001 - handed to the waiting thread, which raises it
        done.set_result((False, error))


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        pending = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.close()
