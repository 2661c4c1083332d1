"""Streams of model events: with nobody listening, through a wrap, and judged window by window."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

from hookcore import HookManager, ModelCallContext, hookimpl

from .dispatching import awaiting
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


class Windowed:
    """A policy that is shown a stream as it comes, and lets it pass."""

    @hookimpl(stream="window", window=64)
    def post_model_call(self, ctx: Any) -> None:
        """Let pass."""


async def _chunks(_messages: object) -> AsyncIterator[str]:
    for _ in range(CHUNKS):
        yield "chunk"


async def _upper(chunks: AsyncIterator[str]) -> AsyncIterator[str]:
    async for chunk in chunks:
        yield chunk.upper()


async def _drain(stream: AsyncIterator[str]) -> None:
    async for _ in stream:
        pass


def _managed(*plugins: object) -> Burst:
    manager = HookManager()
    for plugin in plugins:
        manager.register(plugin)
    messages = [{"role": "user", "content": "hi"}]
    return awaiting(lambda: _drain(manager.astream_model(messages, _chunks)))


def _wrapped() -> Burst:
    manager, ctx = HookManager(), ModelCallContext(messages=[])
    manager.register(Upper())
    return awaiting(lambda: _drain(manager.awrap_stream("wrap_model_call", ctx, _chunks)))


def contestants() -> dict[str, Burst]:
    """Return the bursts by name."""
    return {
        "bare stream of 1,000 chunks": awaiting(lambda: _drain(_chunks(None))),
        "bare transform of 1,000 chunks": awaiting(lambda: _drain(_upper(_chunks(None)))),
        "stream, no hook": _managed(),
        "stream, 1 wrap": _wrapped(),
        "stream of 1,000 chunks, a window": _managed(Windowed()),
    }


def claims() -> list[Claim]:
    """Return what is claimed of these contestants."""
    bare = "bare stream of 1,000 chunks"
    return [
        ratio("stream, no hook", bare, 2.0),
        ratio("stream, 1 wrap", bare, 8.0),
        ratio("stream, 1 wrap", "bare transform of 1,000 chunks"),
        lasting("stream of 1,000 chunks, a window", 6.0, "ms"),
    ]
