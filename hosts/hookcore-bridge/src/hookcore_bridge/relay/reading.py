"""The bodies of requests and answers, read up to a size."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Final

from .sse import Block, Splitter, TooLargeError

if TYPE_CHECKING:
    import aiohttp

__all__ = ["MOST_BYTES", "blocks", "is_compressed", "is_stream", "limited"]

MOST_BYTES: Final = 64 * 1024 * 1024
"""The size of the largest body that is taken."""


async def limited(stream: aiohttp.StreamReader, what: str) -> bytes:
    """Return all that a stream has.

    Args:
        stream: the stream.
        what: what it is, for the error.

    Raises:
        TooLargeError: it is more than is taken.
    """
    data = bytearray()
    async for piece in stream.iter_any():
        data += piece
        if len(data) > MOST_BYTES:
            raise TooLargeError(f"{what} has more than {MOST_BYTES} bytes")
    return bytes(data)


async def blocks(
    stream: aiohttp.StreamReader, idle: Callable[[], Awaitable[None]] | None = None
) -> AsyncIterator[Block]:
    """Yield the events of a stream, as they come.

    Args:
        stream: the stream.
        idle: is called when no more events are there yet.

    Raises:
        TooLargeError: one is larger than is taken.
    """
    splitter = Splitter()
    async for piece in stream.iter_any():
        for block in splitter.feed(piece):
            yield block
        if idle is not None:
            await idle()
    for block in splitter.end():
        yield block


def is_compressed(encoding: str | None) -> bool:
    """Return whether content is compressed, by the header ``Content-Encoding``."""
    return encoding is not None and encoding.strip().lower() not in ("", "identity")


def is_stream(answer: aiohttp.ClientResponse) -> bool:
    """Return whether a client may take an answer for an event stream.

    Some look for the words anywhere in the header, or in several.
    """
    told = ",".join(answer.headers.getall("Content-Type", ())).lower()
    return "text/event-stream" in told
