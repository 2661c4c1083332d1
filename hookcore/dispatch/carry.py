"""What a stream carries with it: the scope and the run that it was started in.

An async generator runs in its consumer's context, so nothing may stay in a context variable across
a ``yield``: each step sets what it needs and takes it back before an item is handed out.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import suppress
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hookcore_specs._runtime import ACTIVE, Frame, leave

from .current import CURRENT

if TYPE_CHECKING:
    from .core import ManagerCore

__all__ = ["UNSET", "Carried", "closing", "source_of", "stepped"]

_T = TypeVar("_T")

UNSET: Final[Any] = object()
"""Stands for a payload, result or event that is not there, where None could be one."""


class Carried:
    """The scope and the run of the calling code, for code that has to run in them later.

    Args:
        manager: the manager.
        frame: the dispatch that the code is in; the caller's when it is not given.
    """

    __slots__ = ("_current", "_frame", "_manager", "_scope")

    def __init__(self, manager: ManagerCore, frame: Frame | None = UNSET) -> None:
        self._manager = manager
        self._scope = manager._scopes.token()
        self._current = CURRENT.get()
        self._frame: Frame | None = ACTIVE.get() if frame is UNSET else frame

    def fork(self, frame: Frame | None = UNSET) -> Carried:
        """Return one that starts from here; ``frame`` is a running hook's."""
        twin = object.__new__(Carried)
        twin._manager, twin._scope, twin._current = self._manager, self._scope, self._current
        twin._frame = self._frame if frame is UNSET else frame
        return twin

    async def step(self, call: Callable[[], Awaitable[_T]]) -> _T:
        """Run some code here; what it leaves in the scope and the run is forgotten."""
        return await self.fork().resume(call)

    async def resume(self, call: Callable[[], Awaitable[_T]]) -> _T:
        """Run some code here; the next call goes on in the scope and the run that it leaves.

        So an iterator that entered a scope before it gave an item is still in it afterwards.
        """
        scopes = self._manager._scopes._current
        frame = ACTIVE.set(self._frame)
        run, scope = CURRENT.set(self._current), scopes.set(self._scope)
        try:
            result = await call()
            self._current, self._scope = CURRENT.get(), scopes.get()
            return result
        finally:
            with suppress(ValueError):  # closed from another context
                CURRENT.reset(run)
                scopes.reset(scope)
            leave(frame)


async def source_of(value: Any) -> AsyncIterator[Any]:
    """Return the async iterator that a call gave, awaiting a coroutine for it first."""
    if isawaitable(value) and not hasattr(value, "__aiter__"):
        value = await value
    if not hasattr(value, "__aiter__"):
        raise TypeError(f"a stream is an async iterator, not {type(value).__name__}")
    iterator: AsyncIterator[Any] = value.__aiter__()
    return iterator


async def close(iterator: Any) -> None:
    """Close an async iterator that can be closed."""
    aclose = getattr(iterator, "aclose", None)
    if aclose is not None:
        await aclose()


class closing:  # noqa: N801 - used like contextlib.aclosing
    """Like :func:`contextlib.aclosing`, for iterators that may have no ``aclose``."""

    def __init__(self, iterator: AsyncIterator[Any]) -> None:
        self._iterator = iterator

    async def __aenter__(self) -> AsyncIterator[Any]:
        return self._iterator

    async def __aexit__(self, *_exc: object) -> None:
        await close(self._iterator)


async def stepped(
    carried: Carried, make: Callable[[], Awaitable[AsyncIterator[Any]]]
) -> AsyncGenerator[Any, None]:
    """Yield what somebody else's iterator gives, which is made, run and closed in ``carried``."""
    source = await carried.resume(make)
    try:
        while (item := await carried.resume(lambda: anext(source, UNSET))) is not UNSET:
            yield item
    finally:
        await carried.resume(lambda: close(source))
