"""The requests and responses of the HTTP channel, an ASGI application."""

from __future__ import annotations

import asyncio
import hmac
import json
import uuid
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.routing import Route

from hookcore_specs import ChannelMessage

from .channels import Inlet, Ticket
from .errors import GatewayClosedError, MessageTooLargeError, QueueFullError
from .http_hosts import is_local, name_in
from .http_reply import AsciiResponse, Exchange, Reply
from .shown import shown

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from .http import HttpChannel

__all__ = ["application"]

_CODES = {"denied": 403, "stopped": 409, "error": 500, "shutdown": 503, "timeout": 504}
_MOST = 1024 * 1024
_FIELDS = {
    "messages": {"content", "sender", "recipient", "id", "thread", "subject"},
    "webhook": {"message", "sender", "agent", "id"},
}


class _Refused(Exception):  # noqa: N818 - it is an answer
    """A request that is not served, and why."""

    def __init__(self, code: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.response = AsciiResponse(
            {"status": "refused", "error": text},
            code,
            {name.replace("_", "-"): value for name, value in headers.items()},
        )


class _Service:
    def __init__(self, channel: HttpChannel, inlet: Inlet, exchanges: dict[str, Exchange]) -> None:
        self._channel = channel
        self._inlet = inlet
        self._exchanges = exchanges
        #: How long a body may be: what the channel says, else what its gateway says of messages.
        self._most = channel.max_body or inlet.message_bytes or _MOST

    async def messages(self, request: Request) -> AsciiResponse:
        return await self._served(request, "messages", "channel")

    async def webhook(self, request: Request) -> AsciiResponse:
        return await self._served(request, "webhook", "webhook")

    async def health(self, _request: Request) -> AsciiResponse:
        return AsciiResponse({"status": "ok"})

    async def _served(self, request: Request, kind: str, path: str) -> AsciiResponse:
        try:
            self._authorised(request)
            message = self._message(kind, await self._json(request))
            return await self._answered(request, message, path)
        except _Refused as refusal:
            return refusal.response

    # The request

    def _authorised(self, request: Request) -> None:
        token = self._channel.token
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if token is not None and not (
            scheme.lower() == "bearer" and hmac.compare_digest(given.encode(), token.encode())
        ):
            raise _Refused(401, "a bearer token is needed", WWW_Authenticate="Bearer")
        named = name_in(request.headers.get("host", ""))
        if token is None and self._channel.is_local and not is_local(named):
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
        most = self._most
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
            raise _Refused(
                400, f"there is no field {shown(', '.join(unknown))} (there are: {known})"
            )
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

    async def _answered(
        self, request: Request, message: ChannelMessage, path: str
    ) -> AsciiResponse:
        exchange = self._exchanges[str(message.id)] = Exchange()
        try:
            ticket = self._offered(message, path)
            known_as = message.metadata.get("client_id", message.id)
            return await self._waited(request, exchange, ticket, known_as)
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

    async def _waited(
        self, request: Request, exchange: Exchange, ticket: Ticket, known_as: Any
    ) -> AsciiResponse:
        done = asyncio.ensure_future(ticket.outcome())
        gone = asyncio.ensure_future(_disconnected(request))
        waited: list[asyncio.Future[Any]] = [exchange.reply, done, gone]
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            done.cancel()
            gone.cancel()
        if exchange.reply.done() and not gone.done():
            return _reply(exchange, known_as)
        exchange.end(written=False)
        status = done.result().status if done.done() and not done.cancelled() else "error"
        return AsciiResponse(
            {"status": status, "in_reply_to": known_as, "content": None},
            _CODES.get(status, 500),
        )


def _reply(exchange: Exchange, known_as: Any) -> Reply:
    message = exchange.reply.result()
    kind = str(message.metadata.get("kind"))
    response = Reply(
        {
            "status": kind,
            "in_reply_to": known_as,
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


def application(channel: HttpChannel, inlet: Inlet, exchanges: dict[str, Exchange]) -> ASGIApp:
    """Return the application that serves a channel's requests.

    Args:
        channel: the channel.
        inlet: where messages go.
        exchanges: the requests that wait, by the ids of their messages.
    """
    service = _Service(channel, inlet, exchanges)
    routed = Starlette(
        routes=[
            Route("/messages", service.messages, methods=["POST"]),
            Route("/webhook", service.webhook, methods=["POST"]),
            Route("/health", service.health, methods=["GET"]),
        ]
    )

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        names = {name for name, _ in scope["headers"]}
        if {b"content-length", b"transfer-encoding"} <= names:
            # Whoever stands in front may have read another body, and what follows as its own.
            text = "Content-Length and Transfer-Encoding exclude each other"
            await _Refused(400, text, Connection="close").response(scope, receive, send)
        else:
            await routed(scope, receive, send)

    return served
