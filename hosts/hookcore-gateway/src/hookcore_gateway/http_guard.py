"""Bounds on what a client takes before it has asked for anything: connections and time."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from .http_reply import TRANSPORT
from .seldom import Seldom

if TYPE_CHECKING:
    from uvicorn import Config
    from uvicorn.server import ServerState

    _Adapter = logging.LoggerAdapter[Any]
else:
    _Adapter = logging.LoggerAdapter  # Python 3.10 takes no class in brackets

__all__ = ["Guarded", "guarded"]

logger = logging.getLogger("hookcore")


class Guarded(H11Protocol):
    """A connection; uvicorn itself bounds only how long one may be idle between two requests."""

    header_timeout: float
    write_timeout: float
    max_connections: int
    refusals: Seldom
    endings: Seldom
    complaints: Seldom

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.logger: Any = _Few(self.logger, self.complaints)
        self._application: Any = self.app
        self.app = self._asked
        self._head: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._is_open = False

    async def _asked(self, scope: Any, receive: Any, send: Any) -> None:
        scope[TRANSPORT] = self.transport
        await self._application(scope, receive, send)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or drop it when there are too many."""
        if len(self.connections) >= self.max_connections:
            if (others := self.refusals.due()) is not None:
                text = "a connection was refused: %d are open (%d more since the last such line)"
                logger.warning(text, len(self.connections), others)
            transport.abort()
            return
        self._is_open = True
        super().connection_made(transport)
        # With nothing left in the buffer a reply has left, and not earlier.
        transport.set_write_buffer_limits(high=0)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        super().data_received(data)
        self._watch()

    def pause_writing(self) -> None:
        """Give the client its time to read what has been written."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self.write_timeout, self._too_slow)

    def resume_writing(self) -> None:
        """Take note that the client has read."""
        super().resume_writing()
        self._all_read()

    def _all_read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Take note that the connection has ended."""
        if self._is_open:
            self._unwatch()
            self._all_read()
            super().connection_lost(exc)

    def _watch(self) -> None:
        """Give the head of a request its time from the first byte on, and the first one from now.

        The time goes on while bytes come, and ends when a request is there.
        """
        asks = self.cycle is not None and not self.cycle.response_complete
        if asks or self.transport.is_closing():
            self._unwatch()
        elif self._head is None:
            self._head = self.loop.call_later(self.header_timeout, self._too_late)

    def _unwatch(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _too_late(self) -> None:
        self._closed(f"no request came within {self.header_timeout} s")

    def _too_slow(self) -> None:
        self._closed(f"nothing was read for {self.write_timeout} s")

    def _closed(self, why: str) -> None:
        if (others := self.endings.due()) is not None:
            text = "a connection was closed: %s (%d others since the last such line)"
            logger.info(text, why, others)
        self.transport.abort()


class _Few(_Adapter):
    """A logger whose lines about what clients send are few: strangers can cause any number."""

    def __init__(self, logger: Any, due: Seldom) -> None:
        super().__init__(logger, {})
        self._due = due

    @property
    def level(self) -> int:
        """The level of the logger that it stands before."""
        level: int = self.logger.level
        return level

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """Log a line when one is due, and say how many were left out."""
        if level != logging.WARNING:
            super().log(level, msg, *args, **kwargs)
        elif (others := self._due.due()) is not None:
            text = f"{msg} (%d others since the last such line)" if others else msg
            super().log(level, text, *args, *([others] if others else []), **kwargs)


def guarded(header_timeout: float, write_timeout: float, max_connections: int) -> type[Guarded]:
    """Return the protocol of a server's connections.

    Args:
        header_timeout: how long the head of a request may take, in seconds.
        write_timeout: how long a client may take to read a response, in seconds.
        max_connections: how many connections may be open.
    """
    bounds: dict[str, Any] = {
        "header_timeout": header_timeout,
        "write_timeout": write_timeout,
        "max_connections": max_connections,
        "refusals": Seldom(),
        "endings": Seldom(),
        "complaints": Seldom(),
    }
    return type("Guarded", (Guarded,), bounds)
