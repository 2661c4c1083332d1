"""Real Redis servers for tests: started on free ports, replicated, stalled, killed by their id.

In the ``conftest.py`` of a plugin's tests, which skip where ``redis-server`` is not installed::

    from hookcore_stores.testing import redis_servers

    __all__ = ["redis_servers"]

    def test_it(redis_servers):
        server = redis_servers("--appendonly", "yes")
        replica = redis_servers(replica_of=server)
        store = RedisStore(server.url, prefix="test")
        server.kill()
"""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

__all__ = ["RedisServer", "StartServer", "redis_servers"]

_PROGRAM = "redis-server"
_ATTEMPTS = 5
_SECONDS = 30.0


class RedisServer:
    """One server, which works in a folder of its own.

    Args:
        folder: the folder; what the server keeps there it finds again when it is started again.
        options: further options of ``redis-server``.

    Raises:
        RuntimeError: it does not start.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder = folder
        self._options = options
        folder.mkdir(parents=True, exist_ok=True)
        for _ in range(_ATTEMPTS):  # somebody may take the port before the server has it
            self.port = _free_port()
            if self._started():
                return
        raise RuntimeError(f"{_PROGRAM} does not start: see {folder / 'log'}")

    @property
    def url(self) -> str:
        """The server's URL."""
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def client(self) -> Any:
        """A client that waits for answers, for what a test itself does on the server."""
        import redis

        return redis.Redis(port=self.port, decode_responses=True, socket_timeout=_SECONDS)

    def command(self, *words: object) -> Any:
        """Send one command, and return the answer."""
        with self.client as client:
            return client.execute_command(*words)

    def kill(self) -> None:
        """End the server as a crash does."""
        self._process.kill()
        self._process.wait()

    def start(self) -> None:
        """Start the server again, on its port.

        Raises:
            RuntimeError: it does not start.
        """
        if not self._started():
            raise RuntimeError(f"{_PROGRAM} does not start again: see {self._folder / 'log'}")

    def stall(self) -> None:
        """Stop the server's process; the system still takes connections for it."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let a stalled server go on."""
        self._process.send_signal(signal.SIGCONT)

    def is_followed(self) -> bool:
        """Tell whether a replica has what is said now; for a second after its start it waits."""
        pipeline = self.client.pipeline(transaction=False)
        pipeline.execute_command("PUBLISH", "hookcore", "ready")
        pipeline.execute_command("WAIT", 1, 1000)
        _, replicas = pipeline.execute()
        return bool(replicas)

    def _started(self) -> bool:
        self._process = subprocess.Popen(  # noqa: S603 - a program of its own choosing
            [
                *(_PROGRAM, "--bind", "127.0.0.1", "--port", str(self.port)),
                *("--dir", str(self._folder), "--logfile", "log", "--save", ""),
                *("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"),
                *("--repl-timeout", "10", *self._options),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return _comes(self._is_ready) and self._process.poll() is None

    def _is_ready(self) -> bool:
        if self._process.poll() is not None:
            return True
        import redis

        try:
            return bool(self.command("PING"))
        except (redis.RedisError, OSError):
            return False


StartServer = Callable[..., RedisServer]
"""Starts a server: ``redis_servers(*options, replica_of=server)``."""


@pytest.fixture
def redis_servers(tmp_path: Path) -> Iterator[StartServer]:
    """Start servers that end with the test."""
    if shutil.which(_PROGRAM) is None:
        pytest.skip(f"{_PROGRAM} is not installed")
    pytest.importorskip("redis")
    started: list[RedisServer] = []

    def start(*options: str, replica_of: RedisServer | None = None) -> RedisServer:
        if replica_of is not None:
            options = (*options, "--replicaof", f"127.0.0.1 {replica_of.port}")
        server = RedisServer(tmp_path / f"redis-{len(started)}", *options)
        started.append(server)
        if replica_of is not None and not _comes(replica_of.is_followed):
            raise RuntimeError("the replica does not follow its primary")
        return server

    yield start
    for server in started:
        server.kill()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _comes(condition: Callable[[], bool]) -> bool:
    pause = threading.Event()
    for _ in range(int(_SECONDS / 0.01)):
        if condition():
            return True
        pause.wait(0.01)
    return False
