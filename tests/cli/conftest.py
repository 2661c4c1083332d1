"""The command, with fabricated plugins on its path."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ..running import Hookctl


@dataclass
class Shell(Hookctl):
    """A project folder to run ``hookctl`` in, a home folder, and a site folder for plugins."""

    home: Path = Path()

    @property
    def config(self) -> Path:
        return self.folder / "hookcore.toml"

    @property
    def user_config(self) -> Path:
        return self.home / "hookcore" / "hookcore.toml"

    def install(self, name: str, code: str, *, distribution: str | None = None) -> None:
        """Fabricate a distribution with one plugin."""
        distribution = distribution or f"acme-{name}"
        module = f"code_of_{distribution.replace('-', '_')}"
        (self.site / f"{module}.py").write_text(textwrap.dedent(code))
        metadata = self.site / f"{distribution.replace('-', '_')}-1.0.dist-info"
        metadata.mkdir()
        header = f"Name: {distribution}\nVersion: 1.0\nSummary: About {name}\n"
        (metadata / "METADATA").write_text(header)
        entry = f"[hookcore.plugins]\n{name} = {module}:Plugin\n"
        (metadata / "entry_points.txt").write_text(entry)

    def row(self, name: str, *arguments: str, **environ: str) -> dict[str, Any]:
        """Return one plugin's row of ``hookctl list --json``."""
        listed = self("list", "--json", *arguments, **environ).json
        row: dict[str, Any] = next(row for row in listed if row["name"] == name)
        return row


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    folder, site, home = (tmp_path / name for name in ("project", "site", "home"))
    for made in (folder, site, home):
        made.mkdir()
    return Shell(folder, site, {"HOME": str(home), "XDG_CONFIG_HOME": str(home)}, home)


@pytest.fixture
def guarded(shell: Shell) -> Shell:
    """The shell with a well-behaved plugin, ``guard``, which denies bad words."""
    shell.install(
        "guard",
        """
        from pydantic import BaseModel
        from hookcore import HookAborted, hookimpl

        class Plugin:
            class Settings(BaseModel):
                words: list[str] = ["bad"]

            def __init__(self, settings):
                self.settings = settings

            @hookimpl(tools=["delete_*"], gate=True)
            def pre_tool_call(self, ctx):
                print("a plugin prints")
                if any(word in str(ctx.payload) for word in self.settings.words):
                    raise HookAborted(reason="a bad word")

            @hookimpl(priority=5)
            def output(self, ctx):
                if ctx.payload == "raise":
                    raise ValueError("broken")
                return {"seen": ctx.payload, "dry_run": ctx.dry_run, "agent": ctx.agent}
        """,
    )
    return shell


@pytest.fixture
def bombs(shell: Shell) -> Shell:
    """The shell with plugins that write a file, raise, exit and kill the process on import."""
    shell.install(
        "writes", f"open({str(shell.home / 'imported')!r}, 'w').close()\nclass Plugin: ..."
    )
    shell.install("raises", "raise RuntimeError('boom')")
    shell.install("exits", "import sys\nsys.exit(9)")
    shell.install("kills", "import os\nos._exit(7)")
    return shell
