"""A machine in a folder: three layers of configuration, a state folder, and installed plugins."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.config import Config, files, read_config
from hookcore.testing import as_new_process

from ..running import Hookctl, Result

DENY = """
from hookcore import HookAborted, hookimpl

class Plugin:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        raise HookAborted(reason="no")
"""


DRIVER = """
import sys
from pathlib import Path
from hookcore.config import files
files.SYSTEM_FILE = Path(sys.argv.pop(1))
from hookctl.main import main
main()
"""


@dataclass
class Machine:
    """Files of all layers below one folder."""

    root: Path

    @property
    def system(self) -> Path:
        return self.root / "etc" / "hookcore.toml"

    @property
    def user(self) -> Path:
        return self.root / "config" / "hookcore" / "hookcore.toml"

    @property
    def project(self) -> Path:
        return self.root / "project" / "hookcore.toml"

    @property
    def state(self) -> Path:
        return self.root / "state" / "hookcore"

    @property
    def site(self) -> Path:
        return self.root / "site"

    def install(
        self,
        name: str,
        code: str = DENY,
        *,
        version: str = "1.0",
        distribution: str | None = None,
        site: Path | None = None,
    ) -> Path:
        """Install a distribution with one plugin and a RECORD; return its package's folder."""
        site = site or self.site
        distribution = distribution or f"acme-{name}"
        package = site / f"plugin_{name.replace('-', '_')}"
        package.mkdir(exist_ok=True)
        (package / "__init__.py").write_text(textwrap.dedent(code))
        (package / "rules.txt").write_text("rules\n")
        folder = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: {distribution}\nVersion: {version}\n")
        entry = f"[hookcore.plugins]\n{name} = {package.name}:Plugin\n"
        (folder / "entry_points.txt").write_text(entry)
        written = [*package.iterdir(), *folder.iterdir()]
        lines = [f"{path.relative_to(site).as_posix()},{_hash(path)},1\n" for path in written]
        script = f"../../../bin/{name},sha256=xyz,1\n"
        own = f"{folder.name}/RECORD,,\n{package.name}/__pycache__/__init__.cpython.pyc,,\n"
        (folder / "RECORD").write_text("".join([*lines, script, own]))
        return package

    def config(self, overrides: Mapping[str, Any] | None = None) -> Config:
        """Read the configuration as a manager would."""
        return read_config(self.project.parent, overrides)

    def load(self, overrides: Mapping[str, Any] | None = None) -> HookManager:
        """Load a manager in the project's folder."""
        return HookManager.load(self.project.parent, overrides)

    def hookctl(self, *arguments: str, **environ: str) -> Result:
        """Run ``hookctl`` in the working folder, in this process, which saves its start."""
        return self._command(Path.cwd())(*arguments, **environ)

    def process(self, *arguments: str, **environ: str) -> Result:
        """Run ``hookctl`` in a process of its own, in the project's folder."""
        done = subprocess.run(
            [sys.executable, "-c", DRIVER, str(self.system), *arguments],
            cwd=self.project.parent,
            capture_output=True,
            text=True,
            check=False,
            encoding="utf-8",
            env=self.environment(**environ),
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Result(done.returncode, done.stdout, done.stderr)

    def environment(self, **environ: str) -> dict[str, str]:
        """Return what a process of its own finds this machine by, all but the system's file."""
        return self._command(self.project.parent).environment(**environ)

    def _command(self, folder: Path) -> Hookctl:
        variables = {
            name: os.environ[name] for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
        }
        return Hookctl(folder, self.site, variables)


def _hash(path: Path) -> str:
    digest = hashlib.sha256(path.read_bytes()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    made = Machine(tmp_path)
    for folder in (made.system.parent, made.user.parent, made.project.parent, made.site):
        folder.mkdir(parents=True)
    (tmp_path / "home").mkdir()
    for name in [name for name in os.environ if name.startswith("HOOKCORE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(files, "SYSTEM_FILE", made.system)
    monkeypatch.setattr(files, "user_file", lambda: made.user)
    monkeypatch.chdir(made.project.parent)
    # A test may patch the path further, and undoing that comes after this fixture's end.
    monkeypatch.syspath_prepend(str(made.site))
    with as_new_process(made.site):
        yield made
