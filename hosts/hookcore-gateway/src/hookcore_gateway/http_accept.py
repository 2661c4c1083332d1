"""Taking connections: one after the other, and without a storm of errors when there is no room."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from .seldom import Seldom
from .shown import shown

__all__ = ["accepted", "listening"]

logger = logging.getLogger("hookcore")

_PAUSE: Final = 0.5


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Raises:
        OSError: the address is not to be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=2048)
    listener.setblocking(False)
    return listener


async def accepted(
    listener: socket.socket, protocol: Callable[[], asyncio.BaseProtocol], name: str
) -> None:
    """Take connections until it is cancelled.

    asyncio's own server tries again at once, as often as its backlog is long, when the process may
    open no further file, and logs each time.

    Args:
        listener: a socket that listens, without blocking.
        protocol: makes the protocol of a connection.
        name: the channel's name, for the log.
    """
    loop = asyncio.get_running_loop()
    failures = Seldom()
    while True:
        try:
            connection, _ = await loop.sock_accept(listener)
        except ConnectionError:
            continue  # the client left before it was its turn
        except OSError as error:
            if (others := failures.due()) is not None:
                logger.log(
                    logging.ERROR,
                    "channel %s cannot take connections now: %s (%d times before that)",
                    shown(name),
                    shown(error),
                    others,
                )
            await asyncio.sleep(_PAUSE)
            continue
        try:
            # A reply is several pieces, and each would wait for the client's word on the last one.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await loop.connect_accepted_socket(protocol, connection)
        except OSError:
            with suppress(OSError):
                connection.close()
