"""A machine in a folder: a home, a project, the administrator's files, and ``hookctl``."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hookcore.testing import as_new_process
from hookcore_bridge.connect import checks, ready
from hookcore_bridge.connect.client import Client, Scope
from hookcore_bridge.connect.clients import CLIENTS
from hookctl.main import cli


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Machine:
    """Runs ``hookctl`` in the project's folder."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def etc(self) -> Path:
        return self.root / "etc"

    @property
    def records(self) -> list[Path]:
        return sorted((self.root / "state" / "hookcore" / "connect").glob("*.json"))

    def hookctl(self, *arguments: str) -> Result:
        with as_new_process():
            done = CliRunner().invoke(cli, arguments, prog_name="hookctl", catch_exceptions=False)
        return Result(done.exit_code, done.stdout, done.stderr)

    def findings(self) -> dict[str, dict[str, Any]]:
        """Return what ``hookctl doctor`` says of clients, by code; notes only where nothing else."""
        found = self.hookctl("doctor", "--json").json["findings"]
        return {one["code"]: one for one in reversed(found)}

    def file(self, client: str, scope: Scope) -> Path:
        file = CLIENTS[client].file(scope, self.project)
        assert file is not None
        return file

    def write(self, file: Path, content: str | bytes) -> Path:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Make the folders, and let the administrator's files lie in one of them."""
    made = Machine(tmp_path)
    for folder in (made.home, made.project / ".git", made.etc):
        folder.mkdir(parents=True)
    for client in CLIENTS.values():
        if client.variable:
            monkeypatch.delenv(client.variable, raising=False)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(made.home / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(made.project)
    real = Client.file

    def file(self: Client, scope: Scope, project: Path) -> Path | None:
        found = real(self, scope, project)
        below = scope == "managed" and found is not None
        return made.etc.joinpath(*Path(str(found)).parts[1:]) if below else found

    monkeypatch.setattr(Client, "file", file)
    # Who installed this Python is not what is tested.
    for module in (checks, ready):
        monkeypatch.setattr(module, "replaceable", lambda _: None)
        monkeypatch.setattr(module, "out_of_reach", lambda _: None)
    return made


@pytest.fixture
def python() -> str:
    return sys.executable
