"""A stream of 1,000 chunks through the boundary, against the bare loop over it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from hookcore import HookManager, ModelCallContext, hookimpl

from .clocks import CLOCK
from .race import Burst, Claim, lasting, ratio

__all__ = ["claims", "contestants"]

CHUNKS = 1000


class Upper:
    """A wrap around a stream that changes each of its chunks."""

    @hookimpl
    async def wrap_model_call(self, ctx: Any, call_next: Callable[..., Any]) -> Any:
        """Upper-case each chunk."""
        async for chunk in call_next():
            yield chunk.upper()


class Around:
    """A wrap that stands around the whole stream."""

    @hookimpl
    def wrap_model_call(self, ctx: Any, call_next: Callable[..., Any]) -> Iterator[None]:
        """Let it pass."""
        yield


class Window:
    """A hook that sees the text pass, and changes nothing."""

    @hookimpl(stream="window", window=64)
    def post_model_call(self, ctx: Any) -> None:
        """Continue."""


async def _chunks(_messages: object) -> AsyncIterator[str]:
    for _ in range(CHUNKS):
        yield "chunk"


def _plain_chunks(_messages: object) -> Iterator[str]:
    for _ in range(CHUNKS):
        yield "chunk"


async def _upper(chunks: AsyncIterator[str]) -> AsyncIterator[str]:
    async for chunk in chunks:
        yield chunk.upper()


def _awaiting(make: Callable[[], AsyncIterator[str]]) -> Burst:
    async def rounds(count: int) -> float:
        started = CLOCK()
        for _ in range(count):
            async for _ in make():
                pass
        return CLOCK() - started

    return lambda count: asyncio.run(rounds(count))


def _plainly(make: Callable[[], Iterator[str]]) -> Burst:
    def burst(count: int) -> float:
        started = CLOCK()
        for _ in range(count):
            for _ in make():
                pass
        return CLOCK() - started

    return burst


def _with(*plugins: object) -> HookManager:
    manager = HookManager()
    for plugin in plugins:
        manager.register(plugin)
    return manager


def contestants() -> dict[str, Burst]:
    """Return the bursts by name."""

    def streaming(*plugins: object) -> Burst:
        manager = _with(*plugins)
        return _awaiting(lambda: manager.astream_model([], _chunks))

    def plainly(*plugins: object) -> Burst:
        manager = _with(*plugins)
        return _plainly(lambda: manager.stream_model([], _plain_chunks))

    wrapping, ctx = _with(Upper()), ModelCallContext(messages=[])
    return {
        "bare stream of 1,000 chunks": _awaiting(lambda: _chunks(None)),
        "bare generator around it": _awaiting(lambda: _upper(_chunks(None))),
        "stream, no hook": streaming(),
        "stream, a wrap alone": _awaiting(
            lambda: wrapping.awrap_stream("wrap_model_call", ctx, _chunks)
        ),
        "stream, 1 wrap": streaming(Upper()),
        "stream, 1 wrap around": streaming(Around()),
        "stream of 1,000 chunks, a window": streaming(Window()),
        "bare stream, sync": _plainly(lambda: _plain_chunks(None)),
        "stream, no hook, sync": plainly(),
        "stream, 1 wrap around, sync": plainly(Around()),
        "stream, a window, sync": plainly(Window()),
    }


def claims() -> list[Claim]:
    """Return what is claimed of these contestants."""
    bare, sync = "bare stream of 1,000 chunks", "bare stream, sync"
    return [
        ratio("stream, no hook", bare, 2.0),
        ratio("stream, 1 wrap", "bare generator around it", 8.0),
        ratio("stream, a wrap alone", "bare generator around it"),
        ratio("stream, 1 wrap around", "bare generator around it"),
        lasting("stream of 1,000 chunks, a window", 6.0, "ms"),
        ratio("stream, no hook, sync", sync, 2.0),
        ratio("stream, 1 wrap around, sync", sync),
        ratio("stream, a window, sync", sync),
    ]
