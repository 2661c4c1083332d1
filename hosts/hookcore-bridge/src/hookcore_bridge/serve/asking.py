"""Asking a daemon that runs, without starting one."""

from __future__ import annotations

import socket
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Final

__all__ = ["get"]

_SECONDS: Final = 5.0


class _SocketConnection(HTTPConnection):
    """HTTP on a socket of the file system."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_SECONDS)
        self.sock.connect(self._path)


def get(path: str, what: str) -> bytes:
    """Return what a daemon answers.

    Args:
        path: its socket.
        what: what is asked, as a path of HTTP.

    Raises:
        OSError: there is no daemon, or it does not answer, or ends while it does.
    """
    connection = _SocketConnection(path)
    try:
        connection.request("GET", what)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != HTTPStatus.OK:
            raise OSError(f"the daemon answers {answer.status}")
        return body
    except HTTPException as error:
        raise ConnectionError(f"the daemon's answer is cut off: {error!r}") from error
    finally:
        connection.close()
