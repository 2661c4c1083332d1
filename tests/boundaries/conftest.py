"""A manager, its events, and short ways to register one hook and to tell what happened."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Iterator
from types import FunctionType
from typing import Any

import pytest

from hookcore import HookDispatchedEvent, HookManager, hookimpl
from hookcore.testing import register_configured


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


@pytest.fixture
def events(manager: HookManager) -> list[HookDispatchedEvent]:
    """Return the list that the manager's events go into."""
    seen: list[HookDispatchedEvent] = []
    manager.subscribe(seen.append)
    return seen


def _function(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function, which can be marked, for a bound method or a built-in, which cannot."""

    def hook(ctx: Any) -> Any:
        return call(ctx)

    return hook


def plugin_of(point: str, function: Callable[..., Any], **options: Any) -> Any:
    """Return a plugin with one hook."""
    if not isinstance(function, FunctionType):
        function = _function(function)
    marked = hookimpl(specname=str(point), **options)(function)
    return type("Plugin", (), {"hook": staticmethod(marked)})()


@pytest.fixture
def add(manager: HookManager) -> Callable[..., str]:
    """Return a way to register one function at one point, as author and operator want it."""

    def register(
        point: str,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        monitor: bool = False,
        **options: Any,
    ) -> str:
        plugin = plugin_of(point, function, **options)
        return register_configured(manager, plugin, name, mode="monitor" if monitor else "enforce")

    return register


@pytest.fixture
def make_plugin() -> Callable[..., Any]:
    """Return the maker of plugins with one hook."""
    return plugin_of


@pytest.fixture
def finished(add: Callable[..., str]) -> Callable[[str], list[tuple[Any, Any]]]:
    """Return a way to watch a boundary's end: (status, entered) for each time it is told."""

    def watch(point: str) -> list[tuple[Any, Any]]:
        seen: list[tuple[Any, Any]] = []
        add(point, lambda ctx: seen.append((ctx.status, ctx.entered)), name=f"watch-{point}")
        return seen

    return watch


async def _stream(*items: Any) -> AsyncIterator[Any]:
    for item in items:
        await asyncio.sleep(0)
        if isinstance(item, BaseException):
            raise item
        yield item


@pytest.fixture
def streaming() -> Callable[..., Callable[[Any], AsyncIterator[Any]]]:
    """Return a maker of models that stream these items and raise those that are exceptions."""

    def make(*items: Any) -> Callable[[Any], AsyncIterator[Any]]:
        return lambda payload: _stream(*items)

    return make


@pytest.fixture
def drain() -> Callable[..., Any]:
    """Return a coroutine function that collects a stream's items."""

    async def collect(stream: AsyncIterator[Any], into: list[Any] | None = None) -> list[Any]:
        items: list[Any] = [] if into is None else into
        async for item in stream:
            items.append(item)  # noqa: PERF401 - what came before an error is wanted too
        return items

    return collect
