"""One POST to an address that was judged first; no redirect, no proxy, no second look-up."""

from __future__ import annotations

import contextlib

# Sockets look this codec up by name; a fork in the middle of its import would lose it for good.
import encodings.idna  # noqa: F401
import io
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from ._addresses import Address, Network, forbidden
from ._destination import Destination, DestinationError
from ._lookup import Lookup

__all__ = ["Client", "Reply", "tls_context"]


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a receiver; its body is never read."""

    status: int
    retry_after: str | None


def tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return what verifies a receiver's certificate and name.

    Args:
        ca_file: the PEM file of the authorities that are trusted, instead of the system's.

    Raises:
        OSError: it cannot be read, or holds no certificate.
    """
    return ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))


class Client:
    """Posts to one destination.

    Args:
        destination: where.
        allowed: networks that are allowed although they are not public.
        tls: verifies the receiver; not used for http.
        timeout: seconds from the first look-up to the answer's headers.
    """

    def __init__(
        self,
        destination: Destination,
        allowed: tuple[Network, ...],
        tls: ssl.SSLContext,
        timeout: float,
    ) -> None:
        self.destination = destination
        self._lookup = Lookup(destination.host, destination.port)
        self._allowed = allowed
        self._tls = tls
        self._timeout = timeout

    def post(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Post a body and return the answer's status.

        Args:
            body: the content.
            headers: the headers besides ``Host`` and ``Content-Length``.

        Raises:
            DestinationError: the host has an address that nothing may be sent to.
            OSError: no connection, no trust, or no answer in time.
            http.client.HTTPException: the answer is no HTTP.
        """
        destination, deadline = self.destination, time.monotonic() + self._timeout
        addresses = self._addresses(deadline)
        with self._connected(addresses, deadline) as connection:
            sock: Any = _Hurried(connection, deadline)
            http = HTTPConnection(destination.host, destination.port)
            http.sock = sock
            fixed = {"Host": destination.authority, "Connection": "close"}
            http.request("POST", destination.target, body, {**headers, **fixed})
            with contextlib.closing(http.getresponse()) as response:
                return Reply(response.status, response.getheader("Retry-After"))

    def _addresses(self, deadline: float) -> list[Address]:
        host = self.destination.host
        found = self._lookup.addresses(_left(deadline))
        inside = [str(address) for address in found if forbidden(address, self._allowed)]
        if not found:
            raise DestinationError(f"{host} has no address")
        if inside:
            where = ", ".join(inside)
            raise DestinationError(f"{host} resolves to {where}, which is no public address")
        return found

    @contextlib.contextmanager
    def _connected(self, addresses: list[Address], deadline: float) -> Iterator[socket.socket]:
        plain = self._opened(addresses, deadline)
        with contextlib.closing(plain):
            if self.destination.scheme == "http":
                yield plain
                return
            plain.settimeout(_left(deadline))
            host = self.destination.host
            with contextlib.closing(self._tls.wrap_socket(plain, server_hostname=host)) as tls:
                yield tls

    def _opened(self, addresses: list[Address], deadline: float) -> socket.socket:
        for last, address in enumerate(addresses, 1 - len(addresses)):
            try:
                target = (str(address), self.destination.port)
                return socket.create_connection(target, timeout=_left(deadline))
            except OSError:
                if last == 0:
                    raise
        raise OSError("there is no address")


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("no answer in time")
    return left


class _Hurried:
    """A socket as http.client uses it, all of whose operations share one deadline."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._sock.settimeout(_left(self._deadline))
            view = view[self._sock.send(view) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Incoming(self._sock, self._deadline))

    def close(self) -> None:
        self._sock.close()


class _Incoming(io.RawIOBase):
    """The body that a receiver sends; one that trickles does not get more time for it."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(_left(self._deadline))
        return self._sock.recv_into(buffer)
