"""The requests of the dispatch engine to its driver to wait; each can be waited for in two ways."""

from __future__ import annotations

import contextvars
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from inspect import CORO_CREATED, getcoroutinestate
from typing import Any, Protocol

from ..errors import BackgroundLoopError, HookTimeoutError
from ..later import asyncio, futures
from .begun import awaited, running_task
from .loop import BackgroundLoop
from .workers import Workers

__all__ = [
    "AwaitBody",
    "AwaitHook",
    "RunInThread",
    "Steps",
    "Wait",
    "adrive",
    "cancellations",
    "drive",
    "not_counted",
]

_GRACE = 1.0
_POLL = 0.05


class Wait(Protocol):
    """Something to wait for."""

    def wait(self, loop: BackgroundLoop) -> Any:
        """Wait on the calling thread."""

    async def await_(self) -> Any:
        """Wait on the running event loop."""


Steps = Generator[Wait, Any, Any]


def drive(steps: Steps, loop: BackgroundLoop) -> Any:
    """Run the engine's steps on the calling thread; async hooks run on ``loop``."""
    try:
        request = next(steps)
        while True:
            try:
                value = request.wait(loop)
            except BaseException as error:  # noqa: BLE001 - it belongs to the engine
                request = steps.throw(error)
            else:
                request = steps.send(value)
    except StopIteration as stop:
        return stop.value


async def adrive(steps: Steps) -> Any:
    """Run the engine's steps on the running event loop."""
    try:
        request = next(steps)
        while True:
            try:
                value = await request.await_()
            except BaseException as error:  # noqa: BLE001 - it belongs to the engine
                request = steps.throw(error)
            else:
                request = steps.send(value)
    except StopIteration as stop:
        return stop.value


class _Clock:
    """Counts a hook's seconds, but not those that it waits for a person."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._paused_at = 0.0
        self._pauses = 0

    @contextmanager
    def stopped(self) -> Iterator[None]:
        # A hook may ask two people at once.
        if self._pauses == 0:
            self._paused_at = time.monotonic()
        self._pauses += 1
        try:
            yield
        finally:
            if self._pauses == 1:
                self._start += time.monotonic() - self._paused_at
            self._pauses -= 1

    def left(self, timeout: float) -> float:
        """Return the seconds to wait before asking again; 0 or less when the time is over."""
        if self._pauses:
            return _POLL
        return timeout - (time.monotonic() - self._start)


_CLOCK: contextvars.ContextVar[_Clock | None] = contextvars.ContextVar(
    "hookcore_clock", default=None
)


@contextmanager
def not_counted() -> Iterator[None]:
    """Stop the running hook's clock for a while: a person is being asked."""
    clock = _CLOCK.get()
    if clock is None:
        yield
    else:
        with clock.stopped():
            yield


class AwaitHook:
    """An async hook's coroutine, with a time limit in seconds or without one."""

    __slots__ = ("_awaitable", "_timeout")

    def __init__(self, awaitable: Awaitable[Any], timeout: float | None) -> None:
        self._awaitable = awaitable
        self._timeout = timeout

    def wait(self, loop: BackgroundLoop) -> Any:
        """Wait on the calling thread."""
        if self._timeout is None:
            return loop.run(self._awaitable)
        try:
            return loop.run(_limited(self._awaitable, self._timeout))
        except (BackgroundLoopError, asyncio.CancelledError):
            # The loop has refused it, or was closed before it had begun.
            hook = self._awaitable
            if asyncio.iscoroutine(hook) and getcoroutinestate(hook) == CORO_CREATED:
                hook.close()
            raise

    async def await_(self) -> Any:
        """Wait on the running event loop.

        Raises:
            asyncio.CancelledError: the task was cancelled meanwhile, whatever the hook made of
                that; before Python 3.11 nothing tells.
        """
        if self._timeout is None:
            return await awaited(self._awaitable)
        before = cancellations()
        try:
            value = await _limited(self._awaitable, self._timeout)
        except Exception as error:
            if cancellations() > before:
                raise asyncio.CancelledError from error
            raise
        if cancellations() > before:
            raise asyncio.CancelledError
        return value


class AwaitBody:
    """The host's own coroutine: a cancellation that it swallows is the host's business."""

    __slots__ = ("_awaitable",)

    def __init__(self, awaitable: Awaitable[Any]) -> None:
        self._awaitable = awaitable

    def wait(self, loop: BackgroundLoop) -> Any:
        """Wait on the calling thread."""
        return loop.run(self._awaitable)

    async def await_(self) -> Any:
        """Wait on the running event loop."""
        return await self._awaitable


def cancellations() -> int:
    """Return how many cancellations the running task is asked for and has not been spared."""
    count: Callable[[], int] | None = getattr(running_task(), "cancelling", None)
    return 0 if count is None else count()


async def _limited(awaitable: Awaitable[Any], timeout: float) -> Any:
    clock = _Clock()
    token = _CLOCK.set(clock)
    task = asyncio.ensure_future(_carried(awaitable))
    _CLOCK.reset(token)
    try:
        # A task that is cancelled before it has begun would leave the hook's coroutine behind.
        await asyncio.wait({task}, timeout=max(clock.left(timeout), 0.0))
        while not task.done():
            left = clock.left(timeout)
            if left <= 0:
                raise HookTimeoutError(f"no answer within {timeout:g} s")
            await asyncio.wait({task}, timeout=left)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_GRACE)
    error, value = task.result()
    if error is not None:
        raise error
    if clock.left(timeout) < 0:  # it kept the loop busy, so nobody could look at the time
        raise HookTimeoutError(f"no answer within {timeout:g} s")
    return value


async def _carried(awaitable: Awaitable[Any]) -> tuple[BaseException | None, Any]:
    # A KeyboardInterrupt that leaves a task ends the host's loop, so it travels as a value.
    try:
        return None, await awaitable
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - raised again by the one who waits
        return error, None


class RunInThread:
    """A plain hook on a worker thread, with a time limit in seconds or without one."""

    __slots__ = ("_call", "_timeout", "_workers")

    def __init__(self, workers: Workers, call: Callable[[], Any], timeout: float | None) -> None:
        self._workers = workers
        self._call = call
        self._timeout = timeout

    def wait(self, loop: BackgroundLoop) -> Any:  # noqa: ARG002 - the protocol's
        """Wait on the calling thread."""
        clock, future = self._start()
        try:
            while not future.done():
                futures.wait([future], self._left(clock))
            self._left(clock)
        except BaseException:
            self._workers.abandon(future)
            raise
        return future.result()

    async def await_(self) -> Any:
        """Wait on the running event loop."""
        clock, future = self._start()
        waiting = asyncio.wrap_future(future)
        waiting.add_done_callback(_retrieved)
        try:
            while not future.done():
                await asyncio.wait({waiting}, timeout=self._left(clock))
            self._left(clock)
        except BaseException:
            self._workers.abandon(future)
            waiting.cancel()  # its loop may be gone when the thread comes back
            raise
        return future.result()

    def _start(self) -> tuple[_Clock, futures.Future[Any]]:
        clock = _Clock()
        token = _CLOCK.set(clock)
        try:
            return clock, self._workers.submit(self._call)
        finally:
            _CLOCK.reset(token)

    def _left(self, clock: _Clock) -> float | None:
        if self._timeout is None:
            return None
        left = clock.left(self._timeout)
        if left <= 0:
            raise HookTimeoutError(f"no answer within {self._timeout:g} s")
        return left


def _retrieved(future: asyncio.Future[Any]) -> None:
    # Asked for, so that asyncio does not report an exception that nobody looked at.
    if not future.cancelled():
        future.exception()
