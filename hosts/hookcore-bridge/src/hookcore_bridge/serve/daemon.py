"""The life of a daemon: it is the only one, serves until it is idle, and goes when it is old."""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
import select
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from .answering import DEADLINE, Answering
from .places import Http, Places
from .policies import Policies, signature_of
from .requests import LoopbackServer, SocketServer

__all__ = ["Daemon", "serve"]

_log = logging.getLogger(__name__)
_LOOK: Final = 1.0
_OF_DISTRIBUTIONS: Final = (".dist-info", ".egg-info", ".egg-link", ".pth")
_LOCK_VARIABLE: Final = "HOOKCTL_SERVE_LOCK"


class Daemon:
    """The one daemon of a user, an installation and a configuration.

    Args:
        places: its files.
        idle: the seconds without a request after which it ends; None for never.
        seconds: how long policies may take.
        http: whether it answers on the loopback, too.
    """

    def __init__(
        self,
        places: Places,
        *,
        idle: float | None = None,
        seconds: float = DEADLINE,
        http: bool = True,
    ) -> None:
        self._places, self._idle, self._with_http = places, idle, http
        self._policies = Policies()
        self._answering = Answering(self._policies, seconds)
        # A signal's handler may come anywhere in this thread, where no lock can be taken.
        self._told, self._telling = os.pipe()
        self._installed = _Installation()
        self._lock: int | None = None

    def run(self) -> bool:
        """Serve until it is time to end; tell whether to start anew, for there is new code.

        Raises:
            OSError: the socket cannot be made.
        """
        servers: list[Any] = []
        try:
            # The socket comes last: who finds it finds all else.
            for make in (self._loopback_server, self._socket_server):
                server = make()
                if server is not None:
                    servers.append(server)
                    serve_it = threading.Thread(
                        target=server.serve_forever, args=(0.1,), daemon=True
                    )
                    serve_it.start()  # at once: who has never served cannot be shut down
            return self._wait()
        finally:
            for server in servers:
                server.shutdown()
                server.server_close()
            self._answering.wait()
            self._policies.close()

    def is_alone(self) -> bool:
        """Tell whether there is no other daemon; then there is none until the process ends."""
        inherited = os.environ.pop(_LOCK_VARIABLE, "")
        if inherited.isdecimal() and _is_same(int(inherited), self._places.lock):
            self._lock = int(inherited)
        else:
            self._lock = os.open(self._places.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def start_anew(self) -> None:
        """Run the program of this process again, which stays the only daemon meanwhile."""
        atexit._run_exitfuncs()  # what is to be written at the end of a process: it ends for them
        if self._lock is not None:
            os.set_inheritable(self._lock, True)
            os.environ[_LOCK_VARIABLE] = str(self._lock)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606

    def stop(self, *_: object) -> None:
        """End soon; may be called in a signal handler."""
        os.write(self._telling, b"\0")

    def _socket_server(self) -> SocketServer:
        path = self._places.socket
        with suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108 - of a daemon that was killed: we have the lock
        before = os.umask(0o077)
        try:
            return SocketServer(path, self._answering)
        finally:
            os.umask(before)

    def _loopback_server(self) -> LoopbackServer | None:
        """Return the server on the loopback; None when there is to be none, or can be none."""
        if not self._with_http:
            return None
        try:
            http = self._places.http()
            server = LoopbackServer(http.port, http.token, self._answering)
            if server.port != http.port:
                self._places.keep(Http(server.port, http.token))
        except (OSError, ValueError) as error:
            _log.error("no HTTP on the loopback: %s", error)
            return None
        return server

    def _wait(self) -> bool:
        while not select.select([self._told], [], [], _LOOK)[0]:
            if self._installed.has_changed():
                _log.info("the installation has changed: starting anew")
                return True
            if self._idle is not None and self._answering.idle_seconds > self._idle:
                _log.info("nobody has asked for %s s: ending", self._idle)
                return False
            if not os.path.exists(self._places.socket):  # noqa: PTH110
                _log.info("the socket is gone: ending")
                return False
        return False


class _Installation:
    """The distributions that are installed, in the folders that modules are found in."""

    def __init__(self) -> None:
        self._folders = tuple(Path(folder) for folder in sys.path if folder not in {"", "/"})
        self._signature = signature_of(self._folders)
        self._found = self._find()

    def has_changed(self) -> bool:
        """Tell whether a distribution was installed, upgraded or removed."""
        signature = signature_of(self._folders)
        if signature == self._signature:
            return False
        self._signature = signature  # it may only be that modules were compiled there
        return self._find() != self._found

    def _find(self) -> frozenset[tuple[str, int]]:
        found: set[tuple[str, int]] = set()
        for folder in self._folders:
            with suppress(OSError), os.scandir(folder) as entries:
                found.update(
                    (entry.path, entry.stat().st_mtime_ns)
                    for entry in entries
                    if entry.name.endswith(_OF_DISTRIBUTIONS)
                )
        return frozenset(found)


def _is_same(descriptor: int, file: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(file))  # noqa: PTH116
    except OSError:
        return False


def serve(places: Places, **options: Any) -> bool:
    """Run a daemon until a signal or its idleness ends it.

    Args:
        places: its files.
        options: what :class:`Daemon` takes.

    Returns:
        False when there is another daemon, who goes on.
    """
    daemon = Daemon(places, **options)
    if not daemon.is_alone():
        return False
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, daemon.stop)
    if daemon.run():
        daemon.start_anew()
    return True
