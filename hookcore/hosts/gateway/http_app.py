"""The requests and responses of the HTTP channel, an ASGI application."""

from __future__ import annotations

import asyncio
import hmac
import json
import uuid
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hookcore_specs import ChannelMessage

from .channels import Inlet, Ticket
from .errors import GatewayClosedError, MessageTooLargeError, QueueFullError

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from .http import HttpChannel

__all__ = ["Exchange", "application"]

_CODES = {"denied": 403, "stopped": 409, "error": 500, "shutdown": 503, "timeout": 504}
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_FIELDS = {
    "messages": {"content", "sender", "recipient", "id", "thread", "subject"},
    "webhook": {"message", "sender", "agent", "id"},
}


class _Refused(Exception):  # noqa: N818 - it is an answer
    """A request that is not served, and why."""

    def __init__(self, code: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.response = JSONResponse(
            {"status": "refused", "error": text},
            code,
            {name.replace("_", "-"): value for name, value in headers.items()},
        )


class Exchange:
    """A request that waits for its reply."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.reply: asyncio.Future[ChannelMessage] = loop.create_future()
        self._written: asyncio.Future[bool] = loop.create_future()

    async def deliver(self, message: ChannelMessage) -> bool:
        """Hand over the reply; return whether it was written to a client who was there."""
        if not self._written.done():
            self.reply.set_result(message)
        return await asyncio.shield(self._written)

    def end(self, *, written: bool) -> None:
        """Say how the request ended; the first word counts."""
        if not self._written.done():
            self._written.set_result(written)


class _Reply(JSONResponse):
    """A response that tells its exchange when it has been written."""

    exchange: Exchange

    def render(self, content: Any) -> bytes:
        """Return JSON in ASCII: a model may write half of a surrogate pair."""
        return json.dumps(content).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
            self.exchange.end(written=True)
        finally:
            self.exchange.end(written=False)


class _Service:
    def __init__(self, channel: HttpChannel, inlet: Inlet, exchanges: dict[str, Exchange]) -> None:
        self._channel = channel
        self._inlet = inlet
        self._exchanges = exchanges

    async def messages(self, request: Request) -> JSONResponse:
        return await self._served(request, "messages", "channel")

    async def webhook(self, request: Request) -> JSONResponse:
        return await self._served(request, "webhook", "webhook")

    async def health(self, _request: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    async def _served(self, request: Request, kind: str, path: str) -> JSONResponse:
        try:
            self._authorised(request)
            message = self._message(kind, await self._json(request))
            return await self._answered(request, message, path)
        except _Refused as refusal:
            return refusal.response

    # The request

    def _authorised(self, request: Request) -> None:
        token = self._channel.token
        given = request.headers.get("authorization", "")
        if token is not None and not hmac.compare_digest(
            given.encode(), f"Bearer {token}".encode()
        ):
            raise _Refused(401, "a bearer token is needed", WWW_Authenticate="Bearer")
        if token is None and self._channel.is_local and request.url.hostname not in _LOCAL:
            # A page whose own name leads here: its browser takes this service for its server.
            raise _Refused(421, "without a token the Host has to be a local name")
        # A page in a browser can send a form or plain text here, but no JSON without asking first.
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise _Refused(415, "the Content-Type has to be application/json")

    async def _json(self, request: Request) -> dict[str, Any]:
        try:
            body = await asyncio.wait_for(self._body(request), self._channel.body_timeout)
        except asyncio.TimeoutError:
            raise _Refused(408, "the body took too long to come", Connection="close") from None
        except ClientDisconnect:
            raise _Refused(400, "the body is not complete") from None
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise _Refused(400, "the body has to be a JSON object")
        return value

    async def _body(self, request: Request) -> bytes:
        most = self._channel.max_body
        length = request.headers.get("content-length", "")
        body = bytearray()
        if not (length.isdecimal() and int(length) > most):
            async for piece in request.stream():
                body += piece
                if len(body) > most:
                    break
            else:
                return bytes(body)
        raise _Refused(413, f"a body has {most} bytes at most", Connection="close")

    def _message(self, kind: str, given: dict[str, Any]) -> ChannelMessage:
        unknown = sorted(set(given) - _FIELDS[kind])
        if unknown:
            known = ", ".join(sorted(_FIELDS[kind]))
            raise _Refused(400, f"there is no field {', '.join(unknown)} (there are: {known})")
        wrong = sorted(name for name, value in given.items() if not isinstance(value, str))
        if wrong:
            raise _Refused(400, f"{', '.join(wrong)} has to be a string")
        text = "content" if kind == "messages" else "message"
        fields = {"sender": "webhook", **given} if kind == "webhook" else given
        missing = [name for name in (text, "sender") if not fields.get(name, "").strip()]
        if missing:
            raise _Refused(400, f"{' and '.join(missing)} must be given")
        own = {"client_id": given["id"]} if "id" in given else {}
        return ChannelMessage(
            channel=self._channel.name,
            sender=fields["sender"],
            recipient=fields.get("recipient") or fields.get("agent", ""),
            content=fields[text],
            id=uuid.uuid4().hex,  # the client's own may be another client's too
            thread=fields.get("thread"),
            subject=fields.get("subject"),
            metadata=own,
        )

    # The response

    async def _answered(self, request: Request, message: ChannelMessage, path: str) -> JSONResponse:
        exchange = self._exchanges[str(message.id)] = Exchange()
        try:
            ticket = self._offered(message, path)
            return await self._waited(request, exchange, ticket)
        except BaseException:
            exchange.end(written=False)
            raise
        finally:
            self._exchanges.pop(str(message.id), None)

    def _offered(self, message: ChannelMessage, path: str) -> Ticket:
        try:
            return self._inlet.offer(message, path)
        except QueueFullError as error:
            raise _Refused(
                503, "too many messages wait", Retry_After=f"{error.retry_after}"
            ) from error
        except GatewayClosedError as error:
            raise _Refused(503, "the service is stopping", Retry_After="5") from error
        except MessageTooLargeError as error:
            raise _Refused(413, str(error)) from error

    async def _waited(self, request: Request, exchange: Exchange, ticket: Ticket) -> JSONResponse:
        done = asyncio.ensure_future(ticket.outcome())
        gone = asyncio.ensure_future(_disconnected(request))
        waited: list[asyncio.Future[Any]] = [exchange.reply, done, gone]
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            done.cancel()
            gone.cancel()
        if exchange.reply.done() and not gone.done():
            return _reply(exchange, ticket)
        exchange.end(written=False)
        status = done.result().status if done.done() and not done.cancelled() else "error"
        return JSONResponse(
            {"status": status, "in_reply_to": ticket.message_id, "content": None},
            _CODES.get(status, 500),
        )


def _reply(exchange: Exchange, ticket: Ticket) -> _Reply:
    message = exchange.reply.result()
    kind = str(message.metadata.get("kind"))
    response = _Reply(
        {
            "status": kind,
            "in_reply_to": ticket.message_id,
            "id": message.id,
            "sender": message.sender,
            "recipient": message.recipient,
            "content": message.content,
        },
        _CODES.get(kind, 200),
    )
    response.exchange = exchange
    return response


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def application(channel: HttpChannel, inlet: Inlet, exchanges: dict[str, Exchange]) -> Starlette:
    """Return the application that serves a channel's requests.

    Args:
        channel: the channel.
        inlet: where messages go.
        exchanges: the requests that wait, by the ids of their messages.
    """
    service = _Service(channel, inlet, exchanges)
    return Starlette(
        routes=[
            Route("/messages", service.messages, methods=["POST"]),
            Route("/webhook", service.webhook, methods=["POST"]),
            Route("/health", service.health, methods=["GET"]),
        ]
    )
