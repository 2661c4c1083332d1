"""The requests and responses of the HTTP channel, an ASGI application."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.routing import Route

from hookcore_specs import ChannelMessage

from .channels import Inlet, Ticket
from .errors import GatewayClosedError, MessageTooLargeError, QueueFullError
from .http_access import Access
from .http_body import check_length, json_body
from .http_reply import AsciiResponse, Exchange, Refused, Reply
from .http_unread import Unread
from .shown import shown

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Service", "application"]

_CODES = {"denied": 403, "stopped": 409, "error": 500, "shutdown": 503, "timeout": 504}
_MOST = 1024 * 1024
_FIELDS = {
    "messages": {"content", "sender", "recipient", "id", "thread", "subject"},
    "webhook": {"message", "sender", "agent", "id"},
}


@dataclass(frozen=True)
class Service:
    """The service that a channel offers.

    Args:
        name: the channel's name.
        access: who may ask.
        max_body: how long a body may be, in bytes; as long as the gateway takes messages when None.
        body_timeout: how long a client may take to send it, in seconds.
        unread: the replies that their clients have not read yet.
    """

    name: str
    access: Access
    max_body: int | None
    body_timeout: float
    unread: Unread


class _Endpoints:
    def __init__(self, service: Service, inlet: Inlet, exchanges: dict[str, Exchange]) -> None:
        self._service = service
        self._inlet = inlet
        self._exchanges = exchanges
        #: How long a body may be: what the channel says, else what its gateway says of messages.
        self._most = service.max_body or inlet.message_bytes or _MOST

    async def messages(self, request: Request) -> AsciiResponse:
        return await self._served(request, "messages", "channel")

    async def webhook(self, request: Request) -> AsciiResponse:
        return await self._served(request, "webhook", "webhook")

    async def health(self, _request: Request) -> AsciiResponse:
        return AsciiResponse({"status": "ok"})

    async def _served(self, request: Request, kind: str, path: str) -> AsciiResponse:
        try:
            self._service.access.check(request.headers)
            given = await json_body(request, self._most, self._service.body_timeout)
            message = self._message(kind, given)
            return await self._answered(request, message, path)
        except Refused as refusal:
            return refusal.response

    # The request

    def _message(self, kind: str, given: dict[str, Any]) -> ChannelMessage:
        unknown = sorted(set(given) - _FIELDS[kind])
        if unknown:
            known = ", ".join(sorted(_FIELDS[kind]))
            raise Refused(
                400, f"there is no field {shown(', '.join(unknown))} (there are: {known})"
            )
        wrong = sorted(name for name, value in given.items() if not isinstance(value, str))
        if wrong:
            raise Refused(400, f"{', '.join(wrong)} has to be a string")
        text = "content" if kind == "messages" else "message"
        fields = {"sender": "webhook", **given} if kind == "webhook" else given
        missing = [name for name in (text, "sender") if not fields.get(name, "").strip()]
        if missing:
            raise Refused(400, f"{' and '.join(missing)} must be given")
        own = {"client_id": given["id"]} if "id" in given else {}
        return ChannelMessage(
            channel=self._service.name,
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
            raise Refused(
                503, "too many messages wait", Retry_After=f"{error.retry_after}"
            ) from error
        except GatewayClosedError as error:
            raise Refused(503, "the service is stopping", Retry_After="5") from error
        except MessageTooLargeError as error:
            raise Refused(413, str(error)) from error

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
            return _reply(exchange, known_as, self._service.unread)
        exchange.end(written=False)
        status = done.result().status if done.done() and not done.cancelled() else "error"
        return AsciiResponse(
            {"status": status, "in_reply_to": known_as, "content": None},
            _CODES.get(status, 500),
        )


def _reply(exchange: Exchange, known_as: Any, unread: Unread) -> Reply:
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
    response.exchange, response.unread = exchange, unread
    return response


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def application(service: Service, inlet: Inlet, exchanges: dict[str, Exchange]) -> ASGIApp:
    """Return the application that serves a channel's requests.

    Args:
        service: what the channel says of it.
        inlet: where messages go.
        exchanges: the requests that wait, by the ids of their messages.
    """
    endpoints = _Endpoints(service, inlet, exchanges)
    routed = Starlette(
        routes=[
            Route("/messages", endpoints.messages, methods=["POST"]),
            Route("/webhook", endpoints.webhook, methods=["POST"]),
            Route("/health", endpoints.health, methods=["GET"]),
        ]
    )
    # A redirect leads to whatever name the client has sent.
    routed.router.redirect_slashes = False

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            check_length(headers)
            service.access.check_host(headers)
        except Refused as refusal:
            await refusal.response(scope, receive, send)
        else:
            await routed(scope, receive, send)

    return served
