"""A stream of 1,000 chunks through the boundary, against the bare loop over it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from time import process_time
from typing import Any

from hookcore import HookManager, ModelCallContext, hookimpl

from .race import Burst, Claim

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
        started = process_time()
        for _ in range(count):
            async for _ in make():
                pass
        return process_time() - started

    return lambda count: asyncio.run(rounds(count))


def _plainly(make: Callable[[], Iterator[str]]) -> Burst:
    def burst(count: int) -> float:
        started = process_time()
        for _ in range(count):
            for _ in make():
                pass
        return process_time() - started

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
        "bare": _awaiting(lambda: _chunks(None)),
        "bare generator": _awaiting(lambda: _upper(_chunks(None))),
        "no hook": streaming(),
        "wrap point, one wrap": _awaiting(
            lambda: wrapping.awrap_stream("wrap_model_call", ctx, _chunks)
        ),
        "one wrap": streaming(Upper()),
        "one wrap around": streaming(Around()),
        "window": streaming(Window()),
        "bare, sync": _plainly(lambda: _plain_chunks(None)),
        "no hook, sync": plainly(),
        "one wrap around, sync": plainly(Around()),
        "window, sync": plainly(Window()),
    }


def claims() -> list[Claim]:
    """Return the ratios, and the limits of those that have one."""
    return [
        Claim("no hook / bare", lambda times: times["no hook"] / times["bare"]),
        _claim("wrap point, one wrap", "bare generator"),
        _claim("one wrap", "bare generator"),
        _claim("one wrap around", "bare generator"),
        _claim("window", "bare"),
        _claim("no hook, sync", "bare, sync"),
        _claim("one wrap around, sync", "bare, sync"),
        _claim("window, sync", "bare, sync"),
    ]


def _claim(top: str, bottom: str) -> Claim:
    return Claim(f"{top} / {bottom}", lambda times: times[top] / times[bottom])
