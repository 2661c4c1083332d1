"""Answers over HTTP; a reply counts as delivered when it has left for a client who was there."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse

from hookcore_specs import ChannelMessage

from .http_unread import Unread

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

__all__ = ["TRANSPORT", "AsciiResponse", "Exchange", "Refused", "Reply"]

TRANSPORT: Final = "hookcore.transport"
"""The key in a request's scope of the transport of its connection."""


class Exchange:
    """A request that waits for its reply."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.reply: asyncio.Future[ChannelMessage] = loop.create_future()
        #: Whether the reply was written; done when the request is over.
        self.over: asyncio.Future[bool] = loop.create_future()

    async def deliver(self, message: ChannelMessage) -> bool:
        """Hand over the reply; return whether it was written to a client who was there."""
        if not self.over.done():
            self.reply.set_result(message)
        try:
            return await asyncio.shield(self.over)
        finally:
            self.end(written=False)  # the sender waits no longer: the writing is to end, too

    def end(self, *, written: bool) -> None:
        """Say how the request ended; the first word counts."""
        if not self.over.done():
            self.over.set_result(written)


class AsciiResponse(JSONResponse):
    """A response in JSON that can be written whatever a client or a model has made up."""

    def render(self, content: Any) -> bytes:
        """Return JSON in ASCII: there may be half of a surrogate pair in it."""
        return json.dumps(content).encode()


class Refused(Exception):  # noqa: N818 - it is an answer
    """A request that is not served, and why.

    Args:
        code: the status.
        text: the reason, for the client.
        headers: further headers, with ``_`` for ``-`` in their names.
    """

    def __init__(self, code: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.response = AsciiResponse(
            {"status": "refused", "error": text},
            code,
            {name.replace("_", "-"): value for name, value in headers.items()},
        )


class Reply(AsciiResponse):
    """A response that tells its exchange when it has been written."""

    exchange: Exchange
    unread: Unread

    async def __call__(
        self,
        scope: Scope,
        receive: Receive,  # noqa: ARG002 - ASGI's own
        send: Send,
    ) -> None:
        """Write the response, for as long as its exchange waits for that."""
        transport: asyncio.Transport = scope[TRANSPORT]
        writing = asyncio.ensure_future(self._written(send, transport))
        entry = self.unread.enter(transport, len(self.body))
        try:
            await asyncio.wait({writing, self.exchange.over}, return_when=asyncio.FIRST_COMPLETED)
            if not writing.done():
                transport.abort()  # who takes nothing keeps the reply in memory for ever
            self.exchange.end(written=await writing)
        finally:
            self.unread.leave(entry)
            self.exchange.end(written=False)
            writing.cancel()

    async def _written(self, send: Send, transport: asyncio.Transport) -> bool:
        """Write the response; return whether all of it has left for a client who was there."""
        head = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **head})
        # Before it takes the next piece, the server waits until the one before has left.
        for piece in (self.body, b""):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        is_there = not transport.is_closing()
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return is_there
