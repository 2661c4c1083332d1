"""A manager, one-hook plugins, and a record of how runs, tools and models ended."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from hookcore import HookManager, hookimpl


@pytest.fixture
def manager() -> Iterator[HookManager]:
    """Return an empty manager."""
    made = HookManager()
    yield made
    made.close()


@pytest.fixture(scope="module", autouse=True)
def _no_leaks() -> Iterator[None]:
    """Collect garbage at a file's end, so that a coroutine that nobody awaited fails."""
    yield
    gc.collect()


def plugin_of(point: str, function: Callable[..., Any], **options: Any) -> Any:
    """Return a plugin with one hook."""

    def hook(ctx: Any) -> Any:
        return function(ctx)

    marked = hookimpl(specname=point, **options)(hook)
    return type("Plugin", (), {"hook": staticmethod(marked)})()


@pytest.fixture
def add(manager: HookManager) -> Callable[..., str]:
    """Return a way to register one function at one point."""

    def register(point: str, function: Callable[..., Any], **options: Any) -> str:
        return manager.register(plugin_of(point, function, **options))

    return register


@pytest.fixture
def make_plugin() -> Callable[..., Any]:
    """Return the maker of plugins with one hook."""
    return plugin_of


@dataclass
class Ends:
    """The news that the observers of the ends were told."""

    runs: list[tuple[Any, Any]] = field(default_factory=list)
    tools: list[tuple[Any, Any]] = field(default_factory=list)
    models: list[tuple[Any, Any]] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)

    @hookimpl
    def run_finished(self, ctx: Any) -> None:
        self.runs.append((ctx.run_id, ctx.status))
        self.results.append(ctx.payload)

    @hookimpl
    def tool_finished(self, ctx: Any) -> None:
        self.tools.append((ctx.call_id, ctx.status))
        self.results.append(ctx.payload)

    @hookimpl
    def model_finished(self, ctx: Any) -> None:
        self.models.append((ctx.call_id, ctx.status))


@pytest.fixture
def ends(manager: HookManager) -> Ends:
    """Return the record of all ends, of the manager's from now on."""
    made = Ends()
    manager.register(made, name="ends")
    return made
