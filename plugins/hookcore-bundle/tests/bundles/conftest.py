"""The fixtures of a fleet."""

from __future__ import annotations

import os
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from hookcore.config import files
from hookcore.testing import as_new_process
from hookcore_bundle import _clock

from .fleet import Clock, Fleet, Handler, Here, QuietServer, Server, StartServer


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[trustme.CA, Path]:
    ca = trustme.CA()
    file = tmp_path_factory.mktemp("ca") / "ca.pem"
    ca.cert_pem.write_to_path(file)
    return ca, file


@pytest.fixture
def start_server(authority: tuple[trustme.CA, Path]) -> Iterator[StartServer]:
    """Start servers that speak https, or http."""
    ca, file = authority
    started: list[tuple[QuietServer, Server, threading.Thread]] = []

    def start(*, tls: bool = True) -> Server:
        server: Any = QuietServer(("127.0.0.1", 0), Handler)
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            ca.issue_cert("localhost", "127.0.0.1").configure_cert(context)
            server.socket = context.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        scheme = "https" if tls else "http"
        server.told = Server(f"{scheme}://127.0.0.1:{server.server_port}", file)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        started.append((server, server.told, thread))
        told: Server = server.told
        return told

    yield start
    for server, told, thread in started:
        told.release.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def server(start_server: StartServer) -> Server:
    return start_server()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    hand = Clock()
    monkeypatch.setattr(_clock, "now", hand)
    return hand


@pytest.fixture
def fleet(tmp_path: Path, server: Server, clock: Clock) -> Fleet:
    return Fleet(tmp_path / "policies", server)


@pytest.fixture
def here(tmp_path: Path, fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> Iterator[Here]:
    for name in [name for name in os.environ if name.startswith("HOOKCORE_")]:
        monkeypatch.delenv(name)
    made = Here(tmp_path, fleet)
    monkeypatch.setattr(files, "SYSTEM_FILE", made.system)
    monkeypatch.setattr(files, "BUNDLE_FOLDER", made.bundles)
    monkeypatch.setattr(files, "user_file", lambda: tmp_path / "none.toml")
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    with as_new_process():
        yield made
