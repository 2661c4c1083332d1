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
    Mapping,
)
from contextlib import contextmanager
from contextvars import Token
from inspect import isawaitable, iscoroutine
from typing import Any, Final, TypeAlias, TypeVar

from hookcore_specs._runtime import ACTIVE, Frame

from .current import CURRENT, Current
from .scopes import Scopes
from .scopes import Token as ScopeToken

__all__ = [
    "UNSET",
    "StartedIn",
    "close",
    "close_sync",
    "closing",
    "source_of",
    "stepped",
    "stepped_sync",
    "sync_source_of",
]

_T = TypeVar("_T")

UNSET: Final[Any] = object()
"""Stands for a payload, result or event that is not there, where None could be one."""


class StartedIn:
    """The scope and the run of the calling code, for code that has to run in them later.

    Args:
        scopes: the manager's scopes.
        frame: the dispatch that the code is in; the caller's when it is not given.
    """

    __slots__ = ("_current", "_frame", "_scope", "_scopes", "_var")

    def __init__(self, scopes: Scopes, frame: Frame | None = UNSET) -> None:
        self._scopes = scopes
        self._var = scopes._current
        self._scope = scopes.token()
        self._current = CURRENT.get()
        self._frame: Frame | None = ACTIVE.get() if frame is UNSET else frame

    def fork(self, frame: Frame | None = UNSET) -> StartedIn:
        """Return one that starts from here; ``frame`` is a running hook's."""
        twin = object.__new__(StartedIn)
        twin._scopes, twin._var = self._scopes, self._var
        twin._scope, twin._current = self._scope, self._current
        twin._frame = self._frame if frame is UNSET else frame
        return twin

    @property
    def getters(self) -> tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]:
        """The calling code's frame, its run and its scope."""
        return ACTIVE.get, CURRENT.get, self._var.get

    def place(self) -> tuple[Any, Any, Any]:
        """Return the frame, the run and the scope that are set here."""
        return self._frame, self._current, self._scope

    async def step(self, call: Callable[[], Awaitable[_T]]) -> _T:
        """Run some code here; what it leaves in the scope and the run is forgotten."""
        return await self.fork().resume(call)

    async def resume(self, call: Callable[[], Awaitable[_T]]) -> _T:
        """Run some code here; the next call goes on in the scope and the run that it leaves.

        So an iterator that entered a scope before it gave an item is still in it afterwards.
        """
        outside = self.enter()
        try:
            result = await call()
        except BaseException as error:
            self.leave(outside, error)
            raise
        self.leave(outside)
        return result

    def step_sync(self, call: Callable[[], _T]) -> _T:
        """Run some plain code here; what it leaves in the scope and the run is forgotten."""
        return self.fork().resume_sync(call)

    def resume_sync(self, call: Callable[[], _T]) -> _T:
        """Run some plain code here, like :meth:`resume`."""
        outside = self.enter()
        try:
            result = call()
        except BaseException as error:
            self.leave(outside, error)
            raise
        self.leave(outside)
        return result

    def enter(self) -> Outside:
        """Go on here; return the way back, for :meth:`leave`."""
        if CURRENT.get() is not self._current or self._var.get() is not self._scope:
            return (
                ACTIVE.set(self._frame),
                CURRENT.set(self._current),
                self._var.set(self._scope),
            )
        return None if ACTIVE.get() is self._frame else ACTIVE.set(self._frame)

    def leave(self, outside: Outside, error: BaseException | None = None) -> None:
        """Go back to where :meth:`enter` was called; remember the scope and the run left here.

        Args:
            outside: what :meth:`enter` returned.
            error: what the code here ended with. What is closed by another context than its own
                must change nothing there.
        """
        moved = type(outside) is tuple
        if CURRENT.get() is not self._current or self._var.get() is not self._scope:
            if isinstance(error, GeneratorExit) and not moved:
                return
            before, around = self._current, self._scope
            self._current, self._scope = CURRENT.get(), self._var.get()
            if not moved:
                CURRENT.set(before)
                self._var.set(around)
        try:
            if isinstance(outside, tuple):
                frame, run, scope = outside
                ACTIVE.reset(frame)
                CURRENT.reset(run)
                self._var.reset(scope)
            elif outside is not None:
                ACTIVE.reset(outside)
        except ValueError:
            return  # closed by another context, where there is nothing to take back


_All: TypeAlias = "tuple[Token[Frame | None], Token[Current | None], Token[ScopeToken]]"
Outside: TypeAlias = "_All | Token[Frame | None] | None"
"""The way back to where some code was: all of it, the frame alone, or nothing."""


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


def close_sync(iterator: Any) -> None:
    """Close a plain iterator that can be closed."""
    end = getattr(iterator, "close", None)
    if end is not None:
        end()


class closing:  # noqa: N801 - used like contextlib.aclosing
    """Like :func:`contextlib.aclosing`, for iterators that may have no ``aclose``."""

    def __init__(self, iterator: AsyncIterator[Any]) -> None:
        self._iterator = iterator

    async def __aenter__(self) -> AsyncIterator[Any]:
        return self._iterator

    async def __aexit__(self, *_exc: object) -> None:
        await close(self._iterator)


async def stepped(  # noqa: C901 - the loop is written out: each call in it shows
    started_in: StartedIn,
    make: Callable[[], Awaitable[AsyncIterator[Any]]],
    failed: Callable[[BaseException], object] | None = None,
    *,
    passing: Callable[[Any], object] | None = None,
    left: Callable[[], Awaitable[object]] | None = None,
) -> AsyncGenerator[Any, None]:
    """Yield what an iterator gives, which is made, run and closed where it was started.

    Args:
        started_in: where.
        make: makes the iterator.
        failed: is told what the iterator raises.
        passing: is told of each item before it is handed out.
        left: is awaited when the reader has left, before the iterator is closed.
    """
    source = await started_in.resume(make)
    following = source.__anext__
    frame_of, run_of, scope_of = started_in.getters
    frame, run, scope = started_in.place()
    set_frame, reset_frame = ACTIVE.set, ACTIVE.reset
    try:
        while True:
            outside: Any = None
            if run_of() is not run or scope_of() is not scope:
                outside = started_in.enter()
            elif frame_of() is not frame:
                outside = set_frame(frame)
            try:
                item = await following()
            except StopAsyncIteration:
                started_in.leave(outside)
                break
            except BaseException as error:
                started_in.leave(outside, error)
                if failed is not None:
                    failed(error)
                raise
            if type(outside) is tuple or run_of() is not run or scope_of() is not scope:
                started_in.leave(outside)
                frame, run, scope = started_in.place()
            elif outside is not None:
                reset_frame(outside)
            if passing is not None:
                passing(item)
            yield item
    except GeneratorExit:
        if left is not None:
            await left()
        raise
    finally:
        with _telling(failed):
            await started_in.resume(lambda: close(source))


def stepped_sync(
    started_in: StartedIn,
    make: Callable[[], Iterator[Any]],
    failed: Callable[[BaseException], object] | None = None,
) -> Generator[Any, None, None]:
    """Yield what a plain iterator gives, like :func:`stepped`."""
    source = started_in.resume_sync(make)
    enter, go_back = started_in.enter, started_in.leave
    try:
        while True:
            outside = enter()
            try:
                item = next(source, UNSET)
            except BaseException as error:
                go_back(outside, error)
                if failed is not None:
                    failed(error)
                raise
            go_back(outside)
            if item is UNSET:
                break
            yield item
    finally:
        with _telling(failed):
            started_in.resume_sync(lambda: close_sync(source))


@contextmanager
def _telling(failed: Callable[[BaseException], object] | None) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        if failed is not None:
            failed(error)
        raise


def sync_source_of(value: Any) -> Iterator[Any]:
    """Return the iterator that a call gave to a host that does not await.

    Raises:
        TypeError: it is none; a text, a dict or a data object is a response, not a stream.
    """
    if isawaitable(value) or hasattr(value, "__aiter__"):
        if iscoroutine(value):
            value.close()
        raise TypeError(
            f"the function gave {type(value).__name__}, which only a host that awaits can read: "
            "call it through the boundary's async twin"
        )
    iterates = hasattr(value, "__next__") or not (
        isinstance(value, (str, bytes, bytearray, Mapping))
        or hasattr(type(value), "model_fields")
        or not hasattr(value, "__iter__")
    )
    if not iterates:
        raise TypeError(f"a stream is an iterator, not {type(value).__name__}")
    return iter(value)
