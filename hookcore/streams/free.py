"""A model's stream that no hook can see: events pass, and only tool calls wait until whole."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import aclosing
from typing import Any

from ..dispatch.carrying import UNSET, StartedIn
from ..dispatch.stepping import close, close_sync
from .release import Release

__all__ = ["free", "free_sync"]


async def free(  # noqa: C901 - the loop is written out: each call in it shows
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
    following, plain, held = source.__anext__, release.plain, release.held
    frame_of, run_of, scope_of = started_in.getters
    frame, run, scope = started_in.place()
    try:
        while True:
            # Nothing has to be set while the reader is where the stream was started.
            if frame_of() is frame and run_of() is run and scope_of() is scope:
                outside = None
            else:
                outside = started_in.enter()
            try:
                event = await following()
            except StopAsyncIteration:
                started_in.leave(outside)
                break
            except BaseException as error:
                started_in.leave(outside, error)
                raise
            if outside is not None or run_of() is not run or scope_of() is not scope:
                started_in.leave(outside)
                frame, run, scope = started_in.place()
            if type(event) in plain and not held:
                yield event
                continue
            release.push(event)
            for item in release.taken():
                yield item
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
    plain, held = release.plain, release.held
    frame_of, run_of, scope_of = started_in.getters
    frame, run, scope = started_in.place()
    try:
        while True:
            if frame_of() is frame and run_of() is run and scope_of() is scope:
                outside = None
            else:
                outside = started_in.enter()
            try:
                event = next(source, UNSET)
            except BaseException as error:
                started_in.leave(outside, error)
                raise
            if outside is not None or run_of() is not run or scope_of() is not scope:
                started_in.leave(outside)
                frame, run, scope = started_in.place()
            if type(event) in plain and not held:
                yield event
                continue
            if event is UNSET:
                break
            release.push(event)
            yield from release.taken()
    finally:
        started_in.resume_sync(lambda: close_sync(source))
    release.end()
    yield from release.taken()
