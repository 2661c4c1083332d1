"""A runner, handlers that note what they are called with, and fabricated distributions."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hookcore import discovery
from hookcore_gateway.zeroclaw import HookHandler, HookRunner


@pytest.fixture
def runner() -> Iterator[HookRunner]:
    """Return an empty runner, whose background loop ends with the test."""
    made = HookRunner()
    yield made
    made.manager.close()


@pytest.fixture
def make_handler() -> Callable[..., HookHandler]:
    """Return a maker of handlers: (name, priority=0, **methods), each a coroutine function."""

    def make(name: str, priority: int = 0, /, **members: Any) -> HookHandler:
        entries = {"name": lambda self: name, "priority": lambda self: priority}
        methods = {
            key: staticmethod(value) if callable(value) else value for key, value in members.items()
        }
        made: HookHandler = type("Handler", (HookHandler,), {**entries, **methods})()
        return made

    return make


@pytest.fixture
def install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, str], None]]:
    """Return what fabricates the distribution hookcore-NAME with one plugin NAME."""
    site = tmp_path / "site"
    site.mkdir()
    modules: list[str] = []
    monkeypatch.syspath_prepend(str(site))
    find = discovery.discover
    monkeypatch.setattr(discovery, "discover", lambda: find(path=[str(site)]))

    def fabricate(name: str, code: str) -> None:
        module = f"fabricated_{name.replace('-', '_')}"
        modules.append(module)
        (site / f"{module}.py").write_text(textwrap.dedent(code))
        folder = site / f"hookcore_{name.replace('-', '_')}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: hookcore-{name}\nVersion: 1.0\n")
        points = f"[hookcore.plugins]\n{name} = {module}:Plugin\n"
        (folder / "entry_points.txt").write_text(points)

    yield fabricate
    for module in modules:
        sys.modules.pop(module, None)
