"""Servers in this process, on a socket and on the loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from hookcore import Abort, HookManager, hookimpl
from hookcore_bridge.hook import thin
from hookcore_bridge.serve.answering import Answering
from hookcore_bridge.serve.policies import Policies
from hookcore_bridge.serve.requests import LoopbackServer, SocketServer


class NoShell:
    @hookimpl(tools=["shell"], gate=True)
    def pre_tool_call(self, ctx: Any) -> Abort:
        return Abort("rule 7", message="No commands today.")


def load(folder: str) -> HookManager:
    manager = HookManager()
    manager.register(NoShell(), name="no-shell")
    return manager


@pytest.fixture
def answering() -> Iterator[Answering]:
    policies = Policies(load)
    yield Answering(policies)
    policies.close()


class Client:
    """Asks a server on the loopback, on one connection."""

    def __init__(self, port: int, token: str) -> None:
        self.connection = HTTPConnection("127.0.0.1", port, timeout=20)
        self.token = token

    def post(self, path: str, body: Any = b"", **headers: str) -> tuple[int, Any]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Authorization": f"Bearer {self.token}", **headers}
        self.connection.request("POST", path, data, given)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())


@pytest.fixture
def client(answering: Answering) -> Iterator[Client]:
    server = LoopbackServer(0, "token", answering)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    one = Client(server.port, "token")
    yield one
    one.connection.close()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def socket_path(answering: Answering, tmp_path: Path) -> Iterator[str]:
    path = f"{thin.endpoint({'XDG_RUNTIME_DIR': str(tmp_path)})}.sock"
    server = SocketServer(path, answering)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield path
    server.shutdown()
    server.server_close()
    thread.join()
