"""A fleet for tests: a publisher's folder, a web server that speaks https, and machines that pull from it."""

from __future__ import annotations

import http.server
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from hookcore.bundles import check_bundle
from hookcore_bundle import BundleSettings
from hookcore_bundle._documents import RoleName
from hookcore_bundle._keys import SecretKey
from hookcore_bundle._machine import Machine
from hookcore_bundle._publishing import Publisher
from hookcore_bundle._pull import Pulled, pull
from hookcore_bundle._signing import Signed

NOW = 1_800_000_000
DAY = 86_400
HARMLESS = "[plugins.tool-policy]\nenabled = true\n[plugins.tool-policy.settings]\ndeny = ['{}']\n"


class Clock:
    """The time of the test, which only the test moves."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@dataclass
class Server:
    """Files under paths, and the ways in which a server misbehaves."""

    url: str
    ca: Path
    files: dict[str, bytes] = field(default_factory=dict)
    status: dict[str, int] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)
    endless: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)

    def publish(self, folder: Path) -> None:
        """Give what a folder holds, as a web server would."""
        self.files = {f"/{file.name}": file.read_bytes() for file in folder.iterdir()}


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers as its server says."""

    server: Any
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        told: Server = self.server.told
        told.asked.append((self.path, self.headers.get("Authorization")))
        self.close_connection = True
        if self.path in told.silent:
            told.release.wait(60)
            return
        if self.path in told.redirects:
            self.send_response(302)
            self.send_header("Location", told.redirects[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = told.files.get(self.path)
        code = told.status.get(
            self.path, 200 if body is not None or self.path in told.endless else 404
        )
        self.send_response(code)
        if self.path in told.endless:
            self.end_headers()
            try:
                while not told.release.is_set():
                    self.wfile.write(bytes(65536))
            except OSError:
                return
            return
        body = b"" if body is None or code != 200 else body
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: told.cut.get(self.path)])

    def log_message(self, *args: object) -> None:
        pass


class QuietServer(http.server.ThreadingHTTPServer):
    """Says nothing of clients that trust it not, or leave early."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


class StartServer(Protocol):
    """Starts a server."""

    def __call__(self, *, tls: bool = True) -> Server: ...


class Fleet:
    """The publisher of a fleet with one key for each role."""

    def __init__(self, folder: Path, server: Server, name: str = "prod") -> None:
        self.folder = folder
        self.server = server
        self.keys: dict[RoleName, SecretKey] = {
            "root": SecretKey(),
            "bundle": SecretKey(),
            "timestamp": SecretKey(),
        }
        folder.mkdir()
        self.publisher = Publisher(folder)
        self.publisher.init_root(name, {r: [k.public] for r, k in self.keys.items()}, {}, 365)
        self.publisher.sign([self.keys["root"]])

    def write(self, text: str, *, constraints: str | None = None) -> None:
        """Write the configuration."""
        (self.folder / "hookcore.toml").write_text(text)
        if constraints is not None:
            (self.folder / "constraints.txt").write_text(constraints)

    def publish(
        self, text: str = HARMLESS.format("x"), *, days: int = 30, constraints: str | None = None
    ) -> bytes:
        """Build, sign and publish another revision; return its archive."""
        self.write(text, constraints=constraints)
        _, file = self.publisher.build(days)
        self.sign("bundle", "timestamp")
        return file.read_bytes()

    def sign(self, *roles: RoleName) -> Signed:
        """Sign with the keys of roles, and publish what is signed."""
        signed = self.publisher.sign([self.keys[role] for role in roles])
        self.serve()
        return signed

    def serve(self) -> None:
        """Give to the server what is to be published."""
        self.server.publish(self.folder / "dist")

    def rotate(self, *roles: RoleName) -> dict[RoleName, SecretKey]:
        """Give roles new keys, signed by the old root's key and the new one; return the old."""
        before = dict(self.keys)
        for role in roles:
            self.keys[role] = SecretKey()
        self.publisher.rotate({role: [self.keys[role].public] for role in roles}, {}, 365)
        self.publisher.sign([before["root"], self.keys["root"]])
        return before


class Here:
    """A machine: its system's file, its folder of bundles."""

    def __init__(self, root: Path, fleet: Fleet) -> None:
        self.system = root / "etc" / "hookcore.toml"
        self.bundles = root / "bundles"
        self.system.parent.mkdir(parents=True)
        self.fleet = fleet
        self.install_root()
        self.configure()

    def install_root(self) -> None:
        """Bring the first root here by hand."""
        shutil.copy(self.fleet.folder / "root.json", self.system.parent / "root.json")

    def table(self, **more: Any) -> dict[str, Any]:
        url = f"{self.fleet.server.url}/prod.tar"
        return {"url": url, "name": "prod", "ca": str(self.fleet.server.ca), **more}

    def configure(self, text: str = "", **more: Any) -> None:
        """Write the system's file."""
        lines = [f"{key} = {value!r}" for key, value in self.table(**more).items()]
        self.system.write_text("\n".join(["[bundle]", *lines, text, ""]))
        self._settings = BundleSettings(**self.table(**more))

    @property
    def machine(self) -> Machine:
        return Machine(self._settings)

    def pull(self, trial: Callable[[Path], None] = check_bundle) -> Pulled:
        """Pull once; with another trial than the real one, which starts a process."""
        return pull(self.machine, trial)

    @property
    def state(self) -> str:
        return self.machine.status().state

    @property
    def in_force(self) -> str:
        """The configuration in force."""
        return (self.bundles / "current" / "hookcore.toml").read_text()

    @property
    def entries(self) -> set[str]:
        """The names in the folder, without the numbers that are random."""
        return {each.name[:12] for each in self.bundles.iterdir()}
