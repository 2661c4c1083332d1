"""A home with a project and policies, and the thin client as clients run it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hookcore_bridge.hook import thin
from hookcore_bridge.serve.asking import get
from tests.waiting import until

CONFIG = """
[plugins.tool-policy]
enabled = true
settings = { deny = ["shell"] }
"""


class Home:
    """A user's home, in which daemons are started on demand."""

    def __init__(self, root: Path) -> None:
        self.root, self.project = root, root / "project"
        self.project.mkdir()
        (self.project / "hookcore.toml").write_text(CONFIG, encoding="utf-8")
        (root / "run").mkdir(mode=0o700)
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.environment = {
            **kept, "HOME": str(root), "XDG_RUNTIME_DIR": str(root / "run"), "SECRET_KEY": "hunter2",
        }  # fmt: skip
        self.places = {name: self.environment[name] for name in ("HOME", "XDG_RUNTIME_DIR")}
        self.base = thin.endpoint(thin.surroundings(self.places))

    def told(self, **facts: Any) -> bytes:
        told = {
            "session_id": "s", "cwd": str(self.project), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c", **facts,
        }  # fmt: skip
        return json.dumps(told).encode()

    def words(self) -> list[str]:
        return [f"{name}={folder}" for name, folder in self.places.items()]

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", thin.__file__, *self.words(), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            cwd=self.project,
        )

    def hook(self, *arguments: str, told: bytes | None = None) -> tuple[int, bytes, bytes]:
        process = self.start(*arguments)
        out, err = process.communicate(self.told() if told is None else told)
        return process.returncode, out, err

    def status(self) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads(get(f"{self.base}.sock", "/v1/status"))
        except OSError:
            return None
        return found

    def pid(self) -> int:
        status = self.status()
        assert status is not None
        return int(status["pid"])

    def end(self) -> None:
        status = self.status()
        if status is None:
            return
        with suppress(ProcessLookupError):
            os.kill(status["pid"], signal.SIGTERM)
        until(lambda: self.status() is None)

    def log(self) -> str:
        return Path(f"{self.base}.log").read_text(encoding="utf-8")


@pytest.fixture
def home() -> Iterator[Home]:
    # The path of a socket is short, and pytest's folders are not.
    root = Path(tempfile.mkdtemp(prefix="hookcore-"))
    made = Home(root)
    yield made
    made.end()
    shutil.rmtree(root, ignore_errors=True)
