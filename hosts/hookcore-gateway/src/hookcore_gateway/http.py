"""A channel over HTTP: POST a message, the reply is the response."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from hookcore_specs import ChannelMessage

from .channels import Inlet
from .errors import ClientGoneError, GatewayError
from .http_accept import accepted, listening
from .http_hosts import is_local
from .http_room import Room, file_limit
from .http_token import checked_token
from .shown import shown

if TYPE_CHECKING:
    from uvicorn import Server

    from .http_reply import Exchange

__all__ = ["HttpChannel"]

logger = logging.getLogger("hookcore")

_MOST: Final = 2000
_BOUNDS: Final = (
    "max_body",
    "body_timeout",
    "header_timeout",
    "write_timeout",
    "unread_bytes",
    "max_connections",
)


class HttpChannel:
    """Serves ``POST /messages``, ``POST /webhook`` and ``GET /health``.

    A request waits for its reply, so a reply can only be delivered while the client is there.
    Whoever reaches the port may speak for any sender, unless there is a token: keep it local, or
    behind something that knows who asks.

    Args:
        host: the address to listen at.
        port: the port; any free one when 0.
        name: the channel's name.
        token: what clients send as ``Authorization: Bearer <token>``.
        max_body: how long a request's body may be, in bytes; as long as the gateway takes messages
            when None.
        body_timeout: how long a client may take to send it, in seconds.
        header_timeout: how long it may take to send what comes before it, in seconds.
        write_timeout: how long it may take to read a response, in seconds.
        unread_bytes: how many bytes of replies may wait for their clients to read them, together;
            connections of the clients that read nothing are dropped to make room.
        max_connections: how many connections may be open; others are dropped at once. They are
            2,000 when None, and never more than the process's limit of open files has room for.

    Raises:
        GatewayError: uvicorn or starlette is not installed, a bound is not a positive number, or
            the token is empty.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        name: str = "http",
        token: str | None = None,
        max_body: int | None = None,
        body_timeout: float = 10.0,
        header_timeout: float = 10.0,
        write_timeout: float = 30.0,
        unread_bytes: int = 64 * 1024 * 1024,
        max_connections: int | None = None,
    ) -> None:
        try:
            import starlette  # noqa: F401 - to say now what would fail later
            import uvicorn  # noqa: F401 - the same
        except ImportError as error:
            raise GatewayError(
                f'HttpChannel needs {error.name}: pip install "hookcore-gateway[http]"'
            ) from error
        self.name = name
        self.host = host
        self.port = port
        self.token = checked_token(token)
        self.max_body = max_body
        self.body_timeout = body_timeout
        self.header_timeout = header_timeout
        self.write_timeout = write_timeout
        self.unread_bytes = unread_bytes
        self.max_connections = max_connections
        for bound in _BOUNDS:
            if (value := getattr(self, bound)) is not None and not value > 0:
                raise GatewayError(f"HttpChannel({bound}=...) takes a positive number, not {value}")
        self._room = Room(max_connections or _MOST)
        #: How many connections may be open; what :meth:`listen` found room for.
        self.connections = 0
        self._socket: socket.socket | None = None
        self._exchanges: dict[str, Exchange] = {}

    @property
    def url(self) -> str:
        """The address that it listens at."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """True when only programs of this machine reach it."""
        return is_local(self.host)

    async def listen(self) -> tuple[str, int]:
        """Bind the address; connections wait from now on, and are served by :meth:`receive`.

        Raises:
            GatewayError: the address is not to be had, or the process may open no further file.
        """
        self.connections = self._found_room()
        try:
            self._socket = listening(self.host, self.port)
        except OSError as error:
            self._room.given_back()
            raise GatewayError(
                f"channel {self.name} cannot listen at {self.host}:{self.port}: {error.strerror}"
            ) from error
        self.port = self._socket.getsockname()[1]
        if self.token is None and not self.is_local:
            logger.warning(
                "channel %s listens at %s and asks for no token: whoever reaches it may speak for "
                "any sender",
                shown(self.name),
                shown(self.url),
            )
        return self.host, self.port

    def _found_room(self) -> int:
        wanted, found = self.max_connections or _MOST, self._room.taken()
        if found < wanted:
            # Only who asked for a number is told that it is another one.
            level = logging.INFO if self.max_connections is None else logging.WARNING
            text = (
                "channel %s serves %d connections at once and not %d: this process may have %s "
                "files open"
            )
            logger.log(level, text, shown(self.name), found, wanted, file_limit())
        if not found:
            self._room.given_back()
            raise GatewayError(
                f"channel {self.name} has no room for a connection: this process may have "
                f"{file_limit()} files open (RLIMIT_NOFILE, ulimit -n); raise that limit"
            )
        return found

    async def receive(self, inlet: Inlet) -> None:
        """Serve requests until it is cancelled."""
        if self._socket is None:
            await self.listen()
        server, protocol = self._server(inlet)
        assert self._socket is not None  # noqa: S101 - it listens
        # Without sockets: connections are taken here, and served there.
        serving = asyncio.ensure_future(server.serve(sockets=[]))
        accepting = asyncio.ensure_future(accepted(self._socket, protocol, self.name))
        try:
            await asyncio.wait({serving, accepting}, return_when=asyncio.FIRST_COMPLETED)
            if accepting.done():
                accepting.result()
        finally:
            accepting.cancel()
            server.should_exit = True
            await asyncio.wait({serving, accepting}, timeout=5)
            serving.cancel()

    def _server(self, inlet: Inlet) -> tuple[Server, Callable[[], asyncio.Protocol]]:
        import uvicorn

        from .http_access import Access
        from .http_app import Service, application
        from .http_guard import guarded
        from .http_unread import Unread

        class Quiet(uvicorn.Server):
            """Leaves signals to the program that it is a part of."""

            @contextmanager
            def capture_signals(self) -> Iterator[None]:
                yield

        guard = guarded(self.header_timeout, self.write_timeout, self.connections)
        access = Access(self.token, local_only=self.is_local)
        unread = Unread(self.unread_bytes)
        service = Service(self.name, access, self.max_body, self.body_timeout, unread)
        config = uvicorn.Config(
            application(service, inlet, self._exchanges),
            lifespan="off",
            http=guard,
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=3,
        )
        config.load()
        server = Quiet(config)
        return server, lambda: guard(config, server.server_state, {})

    async def send(self, message: ChannelMessage) -> None:
        """Answer the request that a message is the reply to.

        Raises:
            ClientGoneError: no client waits for it.
        """
        exchange = self._exchanges.pop(str(message.metadata.get("in_reply_to")), None)
        if exchange is None or not await exchange.deliver(message):
            raise ClientGoneError("no client waits for this reply any more")

    async def close(self) -> None:
        """Give the address back."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            self._room.given_back()
