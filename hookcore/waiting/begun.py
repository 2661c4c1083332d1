"""Coroutines of hooks that were begun by hand: one that ends at once costs no look at its task.

Only a hook that really waits can be cancelled. So it is begun with ``send(None)``, and what has to
be known of the running task is asked for when it waits for the first time.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine, Generator
from types import CoroutineType, coroutine
from typing import Any

from ..later import asyncio

__all__ = [
    "TASKS_MAY_BEGIN_INSIDE",
    "TaskWatch",
    "awaited",
    "begun_rest",
    "rest_of",
    "running_task",
]

TASKS_MAY_BEGIN_INSIDE = sys.version_info >= (3, 12)
"""True where a task may run while the one that makes it does not wait: an eager one."""


class TaskWatch:
    """Tells whether the running task was cancelled since something in it began to wait.

    It has to be made while the event loop has not run since then.
    """

    __slots__ = ("_asked", "_cancelling", "task")

    def __init__(self) -> None:
        #: The task; None under a loop that is not asyncio's.
        self.task = task = running_task()
        #: Tells how often the task was cancelled; nothing does before Python 3.11.
        self._cancelling: Callable[[], int] | None = getattr(task, "cancelling", None)
        self._asked = 0
        if self._cancelling is not None:
            # A cancellation that the task has not been told of yet comes while it waits.
            self._asked = self._cancelling() - getattr(task, "_must_cancel", False)

    @property
    def was_cancelled(self) -> bool:
        """True when the caller has given up since, whatever was made of that."""
        return self._cancelling is not None and self._cancelling() > self._asked


def running_task() -> asyncio.Task[Any] | None:
    """Return the running task, None under a loop that is not asyncio's."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


@coroutine
def rest_of(begun: Coroutine[Any, Any, Any], waits_for: Any) -> Generator[Any, Any, Any]:
    """Await what is left of a coroutine, as ``await`` would from its beginning on.

    Args:
        begun: the coroutine.
        waits_for: what it has yielded last, which its driver has not got yet.
    """
    thrown: BaseException | None
    while True:
        try:
            sent, thrown = (yield waits_for), None
        except GeneratorExit:
            begun.close()
            raise
        except BaseException as error:  # noqa: BLE001 - it is for the one who waits
            sent, thrown = None, error
            if error.__traceback__ is not None:  # this frame is no place where it happened
                error.__traceback__ = error.__traceback__.tb_next
        try:
            # Outside of the handler, so that it is no context of what is raised later.
            waits_for = begun.send(sent) if thrown is None else begun.throw(thrown)
        except StopIteration as stop:
            return stop.value
        finally:
            thrown = None  # its traceback has this frame


async def begun_rest(hook: Coroutine[Any, Any, Any], waits_for: Any) -> Any:
    """Await what is left of a hook's coroutine; a cancellation that it swallowed still ends it.

    Args:
        hook: the coroutine.
        waits_for: what it has yielded first, just now.

    Raises:
        asyncio.CancelledError: the task was cancelled meanwhile, whatever the hook made of that;
            before Python 3.11 nothing tells.
    """
    watch = TaskWatch()
    try:
        value = await rest_of(hook, waits_for)
    except Exception as error:
        if watch.was_cancelled:
            raise asyncio.CancelledError from error
        raise
    if watch.was_cancelled:
        raise asyncio.CancelledError
    return value


async def awaited(answer: Awaitable[Any]) -> Any:
    """Await what a hook returned; a cancellation that it swallowed still ends it.

    Raises:
        asyncio.CancelledError: see :func:`begun_rest`.
    """
    hook = answer if type(answer) is CoroutineType else _of(answer)
    try:
        waits_for = hook.send(None)
    except StopIteration as stop:
        return stop.value
    return await begun_rest(hook, waits_for)


async def _of(answer: Awaitable[Any]) -> Any:
    return await answer
