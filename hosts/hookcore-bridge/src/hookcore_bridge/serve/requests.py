"""Requests over HTTP, on the user's socket and on the machine's loopback."""

from __future__ import annotations

import hmac
import json
import logging
import socket
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer, TCPServer, ThreadingMixIn, UnixStreamServer
from typing import Any, ClassVar, Final

from .answering import Answering, BadRequestError

__all__ = ["LoopbackServer", "SocketServer"]

_log = logging.getLogger(__name__)
_LARGEST: Final = 64 * 1024 * 1024
_MOST_CONNECTIONS: Final = 256
_PREFIX: Final = "/v1/hooks/"


class _Handler(BaseHTTPRequestHandler):
    """One connection, on which a client may ask more than once."""

    protocol_version = "HTTP/1.1"
    timeout = 120
    server: _Server

    def do_POST(self) -> None:
        with self.server.answering.busy():
            self._answer_event()

    def _answer_event(self) -> None:
        body = self._body()
        if body is None or not self._is_let_in():
            return
        if not self.path.startswith(_PREFIX):
            self._send(404, {"error": "there is nothing here"})
            return
        client, _, event = self.path.removeprefix(_PREFIX).partition("/")
        try:
            self._send(200, self.server.answering.answer(client, event or None, body))
        except BadRequestError as error:
            self._send(400, {"error": str(error)})

    def do_GET(self) -> None:
        if not self._is_let_in():
            return
        if self.path != "/v1/status":
            self._send(404, {"error": "there is nothing here"})
            return
        self._send(200, self.server.answering.status())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name is given
        """Say nothing of a request: the log is for what went wrong."""

    def version_string(self) -> str:
        return "hookcore"

    def _body(self) -> bytes | None:
        """Return the body; None when it was refused, and the connection ends."""
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or "transfer-encoding" in self.headers:
            self.close_connection = True
            self._send(411, {"error": "the body's length is to be told"})
            return None
        if int(length) > _LARGEST:
            self.close_connection = True
            self._send(413, {"error": f"a body has at most {_LARGEST} bytes"})
            return None
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            self.close_connection = True
            return None
        return body

    def _is_let_in(self) -> bool:
        problem = self.server.refusal(self.headers)
        if problem is not None:
            self.close_connection = True
            self._send(*problem)
        return problem is None

    def _send(self, status: int, answer: Mapping[str, Any]) -> None:
        data = json.dumps(answer, allow_nan=False).encode("ascii")
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(data)


class _Server(ThreadingMixIn, BaseServer, ABC):
    """A server with a thread for each connection, and a bound on their number."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 512
    answering: Answering
    _free: threading.BoundedSemaphore

    @abstractmethod
    def refusal(self, headers: Message) -> tuple[int, dict[str, str]] | None:
        """Return the status and the answer for who is not let in; None for who is."""

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._free.acquire(blocking=False):
            _log.error("more than %s connections: one is refused", _MOST_CONNECTIONS)
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Say that a connection broke; what was on it stays out of the log."""
        import sys

        kind = sys.exc_info()[0]
        if kind is not None and not issubclass(kind, ConnectionError | TimeoutError):
            _log.error("a request failed: %s", kind.__name__)


class SocketServer(_Server, UnixStreamServer):
    """The server on the user's socket: who may open that may ask."""

    def __init__(self, path: str, answering: Answering) -> None:
        self.answering = answering
        self._free = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__(path, _Handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002
        """Refuse another user, who would have got past the modes of folder and socket."""
        import os

        option = getattr(socket, "SO_PEERCRED", None)
        if option is None:
            return True
        size = struct.calcsize("3i")
        _, user, _ = struct.unpack("3i", request.getsockopt(socket.SOL_SOCKET, option, size))
        return bool(user in (os.geteuid(), 0))

    def refusal(self, headers: Message) -> tuple[int, dict[str, str]] | None:
        """Let everybody in who could open the socket."""
        del headers
        return None


class LoopbackServer(_Server, TCPServer):
    """The server on the machine's loopback, for who bears the token.

    Args:
        port: the port; 0 for any that is free.
        token: the token.
        answering: what answers.
    """

    allow_reuse_address = True
    _HOSTS: ClassVar = ("127.0.0.1", "localhost")

    def __init__(self, port: int, token: str, answering: Answering) -> None:
        self.answering = answering
        self._token = token.encode()
        self._free = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__(("127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        """Take the port, and remember which."""
        super().server_bind()
        self.port: int = self.server_address[1]

    def get_request(self) -> tuple[socket.socket, Any]:
        """Take a connection, on which short answers are sent at once."""
        request, address = super().get_request()
        request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return request, address

    def refusal(self, headers: Message) -> tuple[int, dict[str, str]] | None:
        """Refuse pages in a browser, names that lead here from elsewhere, and a wrong token."""
        name, _, _ = headers.get("host", "").partition(":")
        if name not in self._HOSTS or "origin" in headers:
            return 403, {"error": "only programs of this machine may ask"}
        given = headers.get("authorization", "").encode("utf-8", "replace")
        if not hmac.compare_digest(given, b"Bearer " + self._token):
            return 401, {"error": "the token is missing or wrong"}
        return None
