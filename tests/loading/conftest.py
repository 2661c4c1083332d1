"""Plugins that are fabricated, configured and loaded within one test."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.config import files, read_config
from hookcore.discovery import discover
from hookcore.loading.load import load_into


@dataclass
class World:
    """A folder of installed plugins, and managers that load what is enabled of them."""

    site: Path

    def install(
        self, name: str, code: str, *, target: str = "Plugin", version: str = "1.0"
    ) -> Path:
        """Fabricate the distribution acme-NAME with one plugin NAME."""
        module = f"plugin_{name.replace('-', '_')}"
        (self.site / f"{module}.py").write_text(textwrap.dedent(code))
        folder = self.site / f"acme_{name}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: acme-{name}\nVersion: {version}\n")
        value = f"{module}:{target}" if target else module
        (folder / "entry_points.txt").write_text(f"[hookcore.plugins]\n{name} = {value}\n")
        return folder

    def load(
        self, plugins: Mapping[str, Any], *, hooks: Mapping[str, Any] | None = None
    ) -> HookManager:
        """Load plugins under a configuration that consists of arguments only."""
        manager = HookManager()
        overrides = {"plugins": plugins, "hooks": hooks or {}}
        config = read_config(self.site, overrides, environ={})
        load_into(manager.register_configured, config, discover(path=[str(self.site)]))
        return manager


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr(files, "SYSTEM_FILE", tmp_path / "none.toml")
    monkeypatch.setattr(files, "user_file", lambda: tmp_path / "none.toml")
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    before = set(sys.modules)
    yield World(site)
    for name in set(sys.modules) - before:
        if name.startswith("plugin_"):
            del sys.modules[name]


@pytest.fixture
def on() -> Callable[..., dict[str, Any]]:
    """Return a function that makes the table of an enabled plugin."""
    return lambda **keys: {"enabled": True, **keys}
