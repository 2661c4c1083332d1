"""Threads for plain hooks that have a timeout or must not block the event loop."""

from __future__ import annotations

import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable
from inspect import iscoroutine
from queue import SimpleQueue
from typing import Any

from ..errors import HookTimeoutError
from ..later import futures

__all__ = ["Workers"]

_MOST_ABANDONED = 16

_Job = tuple[Callable[[], Any], "futures.Future[Any]"] | None


class Workers:
    """Daemon threads that are reused while idle; a thread whose hook hangs is left behind.

    The threads of :mod:`concurrent.futures` are joined when the interpreter ends, so that one
    hanging hook would keep the process alive; these are not.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._idle: deque[SimpleQueue[_Job]] = deque()
        self._abandoned: set[futures.Future[Any]] = set()
        self._process = os.getpid()

    def submit(self, call: Callable[[], Any]) -> futures.Future[Any]:
        """Run ``call`` on a thread, in a copy of the caller's context.

        Raises:
            HookTimeoutError: too many threads were abandoned and have not come back.
        """
        if self._process != os.getpid():
            self._begin()  # a forked child inherits the inboxes, and none of their threads
        context = contextvars.copy_context()
        future: futures.Future[Any] = futures.Future()
        with self._lock:
            if len(self._abandoned) >= _MOST_ABANDONED:
                raise HookTimeoutError(
                    f"{_MOST_ABANDONED} hooks that outran their timeouts are still running"
                )
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = SimpleQueue()
            threading.Thread(
                target=self._serve, args=(inbox,), name="hookcore-worker", daemon=True
            ).start()
        inbox.put((lambda: context.run(call), future))
        return future

    def abandon(self, future: futures.Future[Any]) -> None:
        """Count the thread behind ``future`` as lost until its hook returns."""
        with self._lock:
            self._abandoned.add(future)
        future.add_done_callback(self._came_back)
        future.add_done_callback(_close_answer)

    def close(self) -> None:
        """End the idle threads; a later use starts others."""
        with self._lock:
            while self._idle:
                self._idle.pop().put(None)

    def _came_back(self, future: futures.Future[Any]) -> None:
        with self._lock:
            self._abandoned.discard(future)

    def _serve(self, inbox: SimpleQueue[_Job]) -> None:
        while True:
            job = inbox.get()
            if job is None:
                return
            call, future = job
            if future.set_running_or_notify_cancel():
                _fulfil(future, call)
            del call, future, job
            with self._lock:
                self._idle.append(inbox)


def _close_answer(future: futures.Future[Any]) -> None:
    """Close a coroutine that came too late for anybody to await it."""
    if not future.cancelled() and future.exception() is None:
        answer = future.result()
        if iscoroutine(answer):
            answer.close()


def _fulfil(future: futures.Future[Any], call: Callable[[], Any]) -> None:
    try:
        result = call()
    except StopIteration as error:
        # No asyncio future can carry it, and no generator lets it through.
        carried = RuntimeError("the hook raised StopIteration").with_traceback(error.__traceback__)
        carried.__cause__ = error
        future.set_exception(carried)
    except BaseException as error:  # noqa: BLE001 - the waiting dispatch raises it
        future.set_exception(error)
    else:
        future.set_result(result)
