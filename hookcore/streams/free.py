"""A model's stream that no hook can see: events pass, and only tool calls wait until whole."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import aclosing
from typing import Any

from ..dispatch.carrying import StartedIn
from ..dispatch.stepping import close, close_sync
from .release import Release

__all__ = ["free", "free_sync"]

_WITH_THE_READER: Any = object()
"""Stands for the way back while an event is with the reader, outside of the stream's place."""

_NOTHING: frozenset[type] = frozenset()


class _Events:
    """Gives an iterator to a loop that asks for one: it may have nothing but its next step."""

    __slots__ = ("_iterator",)

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator

    def __iter__(self) -> Iterator[Any]:
        return self._iterator  # type: ignore[no-any-return]

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._iterator  # type: ignore[no-any-return]


async def free(  # noqa: C901, PLR0912 - the loop is written out: each call in it shows
    started_in: StartedIn,
    release: Release,
    make: Callable[[], Awaitable[AsyncIterator[Any]]],
    governed: Callable[[], AsyncGenerator[Any, None] | None],
) -> AsyncGenerator[Any, None]:
    """Yield a stream's events.

    Args:
        started_in: where the stream was started.
        release: holds the pieces of tool calls.
        make: makes the iterator.
        governed: gives the stream to be read instead, when hooks have come since it was started.
    """
    other = governed()
    if other is not None:
        async with aclosing(other):
            async for event in other:
                yield event
        return
    source = await started_in.resume(make)
    passing, held = release.plain, release.held
    frame_of, run_of, scope_of = started_in.getters
    frame, run, scope = started_in.place()
    # Nothing has to be set while the reader is where the stream was started.
    outside: Any = started_in.enter()
    try:
        async for event in _Events(source):
            if outside is not None or run_of() is not run or scope_of() is not scope:
                started_in.leave(outside)
                frame, run, scope = started_in.place()
            outside = _WITH_THE_READER
            if type(event) in passing:
                yield event
            else:
                release.push(event)
                for item in release.taken():
                    yield item
                passing = _NOTHING if held else release.plain
            if frame_of() is frame and run_of() is run and scope_of() is scope:
                outside = None
            else:
                outside = started_in.enter()
        started_in.leave(outside)
    except BaseException as error:
        if outside is not _WITH_THE_READER:
            started_in.leave(outside, error)
        raise
    finally:
        await started_in.resume(lambda: close(source))
    release.end()
    for item in release.taken():
        yield item


def free_sync(
    started_in: StartedIn,
    release: Release,
    make: Callable[[], Iterator[Any]],
    governed: Callable[[], Generator[Any, None, None] | None],
) -> Generator[Any, None, None]:
    """Yield a plain stream's events, like :func:`free`."""
    other = governed()
    if other is not None:
        yield from other
        return
    source = started_in.resume_sync(make)
    passing, held = release.plain, release.held
    frame_of, run_of, scope_of = started_in.getters
    frame, run, scope = started_in.place()
    outside: Any = started_in.enter()
    try:
        for event in _Events(source):
            if outside is not None or run_of() is not run or scope_of() is not scope:
                started_in.leave(outside)
                frame, run, scope = started_in.place()
            outside = _WITH_THE_READER
            if type(event) in passing:
                yield event
            else:
                release.push(event)
                yield from release.taken()
                passing = _NOTHING if held else release.plain
            if frame_of() is frame and run_of() is run and scope_of() is scope:
                outside = None
            else:
                outside = started_in.enter()
        started_in.leave(outside)
    except BaseException as error:
        if outside is not _WITH_THE_READER:
            started_in.leave(outside, error)
        raise
    finally:
        started_in.resume_sync(lambda: close_sync(source))
    release.end()
    yield from release.taken()
