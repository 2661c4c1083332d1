"""The files of a daemon: its socket and its lock, and the port and token of its HTTP."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hookcore.hosting import state_folder

from ..hook.thin import PLACES, UnsafeError, endpoint, surroundings

__all__ = ["Http", "Places", "places"]

_TOKEN_BYTES: Final = 32
_PORTS: Final = 65536


@dataclass(frozen=True)
class Http:
    """The HTTP of a daemon, for clients whose hooks are requests.

    Args:
        port: the port on this machine's loopback; 0 before a daemon has taken one.
        token: what a request has to bear.
    """

    port: int
    token: str

    @property
    def url(self) -> str:
        """The address below which clients ask."""
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True)
class Places:
    """The files of the daemon of one user, installation and configuration.

    Args:
        base: the path of all of them, without their endings; in a folder of the user's alone.
    """

    base: str

    @property
    def socket(self) -> str:
        """The path of the socket."""
        return f"{self.base}.sock"

    @property
    def lock(self) -> str:
        """The path of the file that the one running daemon has locked."""
        return f"{self.base}.lock"

    @property
    def log(self) -> str:
        """The path of the log of daemons that clients start."""
        return f"{self.base}.log"

    def http(self) -> Http:
        """Return the port and the token, which stay the same; both are made at the first time.

        Raises:
            OSError: the file cannot be read or written.
            ValueError: the file holds something else.
        """
        with suppress(FileNotFoundError):
            return _parsed(self.http_file.read_text(encoding="utf-8"), self.http_file)
        with suppress(FileExistsError):  # another process has just made it
            self._write(Http(0, secrets.token_urlsafe(_TOKEN_BYTES)), os.link)
        return _parsed(self.http_file.read_text(encoding="utf-8"), self.http_file)

    def keep(self, http: Http) -> Http:
        """Write the port and the token down, for the user alone to read, and return them."""
        self._write(http, os.replace)
        return http

    def _write(self, http: Http, put: Callable[[Path, Path], None]) -> None:
        file = self.http_file
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        text = json.dumps({"port": http.port, "token": http.token})
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            with os.fdopen(os.open(fresh, flags, 0o600), "w") as out:
                out.write(text)
            put(fresh, file)
        finally:
            with suppress(FileNotFoundError):
                fresh.unlink()

    @property
    def http_file(self) -> Path:
        """The path of the file that holds the port and the token."""
        folder = state_folder()
        if folder is None:
            raise UnsafeError("there is no home folder for the daemon's token: set HOME")
        name = self.base.rpartition("/")[2]
        return folder / f"bridge-{name}.json"


def places() -> Places:
    """Return the files of this user's daemon; their folder is made.

    Raises:
        UnsafeError: the folder is not this user's alone.
    """
    given = {name: os.environ[name] for name in PLACES if name in os.environ}
    return Places(endpoint(surroundings(given)))


def _parsed(text: str, file: Path) -> Http:
    try:
        found: Any = json.loads(text)
        port, token = found["port"], found["token"]
    except (ValueError, KeyError, TypeError):
        port, token = None, None
    known = type(port) is int and 0 <= port < _PORTS
    if not known or not isinstance(token, str) or not token:
        raise ValueError(f"{file} does not hold a port and a token: remove it, and it is made anew")
    return Http(port, token)
