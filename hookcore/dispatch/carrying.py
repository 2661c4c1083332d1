"""The scope and the run that a stream was started in, for code that has to run in them later.

A generator runs in its consumer's context, so nothing may stay in a context variable across a
``yield``: each step sets what it needs and takes it back before an item is handed out.
"""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterator,
)
from contextlib import contextmanager, suppress
from inspect import isawaitable
from typing import Any, Final, TypeVar

from hookcore_specs._runtime import ACTIVE, Frame, leave

from .current import CURRENT
from .scopes import Scopes

__all__ = ["UNSET", "StartedIn", "closing", "source_of", "stepped", "stepped_sync"]

_T = TypeVar("_T")

UNSET: Final[Any] = object()
"""Stands for a payload, result or event that is not there, where None could be one."""


class StartedIn:
    """The scope and the run of the calling code, for code that has to run in them later.

    Args:
        scopes: the manager's scopes.
        frame: the dispatch that the code is in; the caller's when it is not given.
    """

    __slots__ = ("_current", "_frame", "_scope", "_scopes")

    def __init__(self, scopes: Scopes, frame: Frame | None = UNSET) -> None:
        self._scopes = scopes
        self._scope = scopes.token()
        self._current = CURRENT.get()
        self._frame: Frame | None = ACTIVE.get() if frame is UNSET else frame

    def fork(self, frame: Frame | None = UNSET) -> StartedIn:
        """Return one that starts from here; ``frame`` is a running hook's."""
        twin = object.__new__(StartedIn)
        twin._scopes, twin._scope, twin._current = self._scopes, self._scope, self._current
        twin._frame = self._frame if frame is UNSET else frame
        return twin

    async def step(self, call: Callable[[], Awaitable[_T]]) -> _T:
        """Run some code here; what it leaves in the scope and the run is forgotten."""
        return await self.fork().resume(call)

    async def resume(self, call: Callable[[], Awaitable[_T]]) -> _T:
        """Run some code here; the next call goes on in the scope and the run that it leaves.

        So an iterator that entered a scope before it gave an item is still in it afterwards.
        """
        with self._here():
            return await call()

    def step_sync(self, call: Callable[[], _T]) -> _T:
        """Run some plain code here; what it leaves in the scope and the run is forgotten."""
        return self.fork().resume_sync(call)

    def resume_sync(self, call: Callable[[], _T]) -> _T:
        """Run some plain code here, like :meth:`resume`."""
        with self._here():
            return call()

    @contextmanager
    def _here(self) -> Iterator[None]:
        scopes = self._scopes
        outside = scopes.token()
        frame = ACTIVE.set(self._frame)
        run = CURRENT.set(self._current)
        scopes.put(self._scope)
        try:
            yield
            self._current, self._scope = CURRENT.get(), scopes.token()
        finally:
            with suppress(ValueError):  # closed from another context
                CURRENT.reset(run)
                scopes.put(outside)
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
    started_in: StartedIn, make: Callable[[], Awaitable[AsyncIterator[Any]]]
) -> AsyncGenerator[Any, None]:
    """Yield what an iterator gives, which is made, run and closed where it was started.

    Args:
        started_in: where.
        make: makes the iterator.
    """
    source = await started_in.resume(make)
    try:
        while (item := await started_in.resume(lambda: anext(source, UNSET))) is not UNSET:
            yield item
    finally:
        await started_in.resume(lambda: close(source))


def stepped_sync(
    started_in: StartedIn, make: Callable[[], Iterator[Any]]
) -> Generator[Any, None, None]:
    """Yield what a plain iterator gives, like :func:`stepped`."""
    source = started_in.resume_sync(make)
    try:
        while (item := started_in.resume_sync(lambda: next(source, UNSET))) is not UNSET:
            yield item
    finally:
        end = getattr(source, "close", None)
        if end is not None:
            started_in.resume_sync(end)
