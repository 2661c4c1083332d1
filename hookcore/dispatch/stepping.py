"""Iterators that run where they were started, step by step, wherever they are read.

The loop of the async one is written out: it stands around each chunk of each stream, where a call
that it does not make shows.
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
from contextvars import ContextVar, Token
from inspect import isawaitable, iscoroutine
from typing import Any, TypeAlias

from hookcore_specs._runtime import ACTIVE

from .carrying import UNSET, StartedIn

__all__ = [
    "Variable",
    "close",
    "close_sync",
    "closing",
    "source_of",
    "stepped",
    "stepped_sync",
    "sync_source_of",
]

Variable: TypeAlias = "tuple[ContextVar[Any], Any]"
"""A context variable, and a value for it."""


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


async def stepped(  # noqa: C901, PLR0912 - written out
    started_in: StartedIn,
    make: Callable[[], Awaitable[AsyncIterator[Any]]],
    *,
    failed: Callable[[BaseException], object] | None = None,
    mark: Variable | None = None,
    passing: Callable[[Any], object] | None = None,
    left: Callable[[], Awaitable[object]] | None = None,
) -> AsyncGenerator[Any, None]:
    """Yield what an iterator gives, which is made, run and closed where it was started.

    Args:
        started_in: where.
        make: makes the iterator.
        failed: is told what the iterator raises.
        mark: a context variable, and the value that it has while the iterator runs.
        passing: is told of each item before it is handed out.
        left: is awaited when the reader has left, before the iterator is closed.
    """
    source = await started_in.resume(make)
    following = source.__anext__
    frame_of, run_of, scope_of = started_in.getters
    frame, run, scope = started_in.place()
    set_frame, reset_frame = ACTIVE.set, ACTIVE.reset
    variable, value = mark or _NONE
    set_mark, reset_mark = variable.set, variable.reset
    try:
        while True:
            outside: Any = None
            if run_of() is not run or scope_of() is not scope:
                outside = started_in.enter()
            elif frame_of() is not frame:
                outside = set_frame(frame)
            marked = None if mark is None else set_mark(value)
            try:
                item = await following()
            except StopAsyncIteration:
                _take_back(mark, marked)
                started_in.leave(outside)
                break
            except BaseException as error:
                _take_back(mark, marked)
                started_in.leave(outside, error)
                if failed is not None:
                    failed(error)
                raise
            if marked is not None:
                reset_mark(marked)
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
        with _telling(failed), _marking(mark):
            await started_in.resume(lambda: close(source))


def stepped_sync(
    started_in: StartedIn,
    make: Callable[[], Iterator[Any]],
    *,
    failed: Callable[[BaseException], object] | None = None,
    mark: Variable | None = None,
) -> Generator[Any, None, None]:
    """Yield what a plain iterator gives, like :func:`stepped`."""
    source = started_in.resume_sync(make)
    enter, go_back = started_in.enter, started_in.leave
    variable, value = mark or _NONE
    set_mark, reset_mark = variable.set, variable.reset
    try:
        while True:
            outside = enter()
            marked = None if mark is None else set_mark(value)
            try:
                item = next(source, UNSET)
            except BaseException as error:
                _take_back(mark, marked)
                go_back(outside, error)
                if failed is not None:
                    failed(error)
                raise
            if marked is not None:
                reset_mark(marked)
            go_back(outside)
            if item is UNSET:
                break
            yield item
    finally:
        with _telling(failed), _marking(mark):
            started_in.resume_sync(lambda: close_sync(source))


_NONE: Variable = (ACTIVE, None)


def _take_back(mark: Variable | None, marked: Token[Any] | None) -> None:
    if mark is not None and marked is not None:
        try:  # noqa: SIM105 - suppress() costs more than all else
            mark[0].reset(marked)
        except ValueError:
            pass  # closed by another context


class _marking:  # noqa: N801 - used like a function
    """Gives a context variable its value for a block."""

    __slots__ = ("_mark", "_token")

    def __init__(self, mark: Variable | None) -> None:
        self._mark = mark

    def __enter__(self) -> None:
        self._token = None if self._mark is None else self._mark[0].set(self._mark[1])

    def __exit__(self, *_exc: object) -> None:
        _take_back(self._mark, self._token)


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
            "call it through the boundary's async twin, such as astream_model"
        )
    iterates = hasattr(value, "__next__") or not (
        isinstance(value, (str, bytes, bytearray, Mapping))
        or hasattr(type(value), "model_fields")
        or not hasattr(value, "__iter__")
    )
    if not iterates:
        raise TypeError(f"a stream is an iterator, not {type(value).__name__}")
    return iter(value)
