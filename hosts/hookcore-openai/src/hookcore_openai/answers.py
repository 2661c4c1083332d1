"""The HTTP responses that clients read: like those that came, with what the hooks left of them."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

__all__ = ["body_of", "remade"]

_OF_THE_BYTES = ("content-encoding", "content-length", "transfer-encoding")
"""The headers that tell of the bytes as they came."""


def remade(client: Any, options: Any, http: Any, content: Any) -> Any:
    """Return an HTTP response like another with other content.

    Args:
        client: the client of the library's.
        options: the request, as the program made it.
        http: the response that came; None when the provider was not asked.
        content: the bytes, or the body from :func:`body_of`.
    """
    library = _library_of(type(client._client))
    told = {"content": content} if isinstance(content, bytes) else {"stream": content}
    if http is None:
        kind = "application/json" if "content" in told else "text/event-stream"
        url = f"{str(client.base_url).rstrip('/')}/{options.url.lstrip('/')}"
        request = library.Request(options.method, url)
        return library.Response(200, headers={"content-type": kind}, request=request, **told)
    kept = [pair for pair in http.headers.multi_items() if pair[0].lower() not in _OF_THE_BYTES]
    told |= {"extensions": dict(http.extensions), "history": list(http.history)}
    new = library.Response(http.status_code, headers=kept, request=http.request, **told)
    with suppress(RuntimeError):  # it is known when a response has been read
        new.elapsed = http.elapsed
    return new


def body_of(client: Any, first: bytes, pieces: Any, abandon: Callable[[], Any]) -> Any:
    """Return a response's body that is read while it comes.

    Args:
        client: the client of the library's.
        first: the first piece.
        pieces: the generator of the others, sync or async as the client; it is closed with the
            response.
        abandon: ends the reading that another thread or task is at.
    """
    library = _library_of(type(client._client))
    if isinstance(pieces, AsyncGenerator):
        return _async_body(library.AsyncByteStream)(first, pieces, abandon)
    return _body(library.SyncByteStream)(first, pieces, abandon)


def _library_of(kind: type) -> Any:
    """Return httpx or httpx2, whichever a client's own is of."""
    for base in kind.__mro__:
        name = base.__module__.partition(".")[0]
        if name in ("httpx", "httpx2"):
            return sys.modules[name]
    raise TypeError(f"{kind.__name__} is no client of httpx's: its responses cannot be governed")


class _Body:
    """The pieces of a governed stream."""

    def __init__(self, first: bytes, pieces: Any, abandon: Callable[[], Any]) -> None:
        self._first, self._pieces, self._abandon = first, pieces, abandon


@cache
def _body(kind: type) -> Any:
    class Body(_Body, kind):
        def __iter__(self) -> Iterator[bytes]:
            yield self._first
            yield from self._pieces

        def close(self) -> None:
            try:
                self._pieces.close()
            except ValueError:  # it is at work, in another thread
                self._abandon()

    return Body


@cache
def _async_body(kind: type) -> Any:
    class Body(_Body, kind):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield self._first
            async for piece in self._pieces:
                yield piece

        async def aclose(self) -> None:
            try:
                await self._pieces.aclose()
            except RuntimeError:  # it is at work, in another task
                await self._abandon()

    return Body
