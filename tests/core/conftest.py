"""A manager, its events, and a short way to give it a plugin with one hook."""

from __future__ import annotations

import gc
import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from hookcore import HookDispatchedEvent, HookManager, ToolCallContext, hookimpl
from hookcore.testing import HandClock, clock_by_hand, register_configured

from .tool_ends import Ends


@pytest.fixture
def manager() -> Iterator[HookManager]:
    """Return an empty manager, whose background loop ends with the test."""
    made = HookManager()
    yield made
    made.close()


@pytest.fixture
def events(manager: HookManager) -> list[HookDispatchedEvent]:
    """Return the list that the manager's events go into."""
    seen: list[HookDispatchedEvent] = []
    manager.subscribe(seen.append)
    return seen


@pytest.fixture
def watch(manager: HookManager) -> Ends:
    """Return a plugin of the manager that notes each end of a tool call."""
    ends = Ends()
    manager.register(ends)
    return ends


@pytest.fixture
def one_hook() -> Callable[..., Any]:
    """Return a maker of plugins with one hook: (point, function, **options of hookimpl)."""

    def make(point: str, function: Callable[..., Any], **options: Any) -> Any:
        if inspect.isbuiltin(function):  # a list's append takes no mark
            return make(point, _as_python(function), **options)
        marked = hookimpl(specname=str(point), **options)(function)
        return type("Plugin", (), {"hook": staticmethod(marked)})()

    return make


def _as_python(function: Callable[..., Any]) -> Callable[..., Any]:
    def hook(ctx: Any) -> Any:
        return function(ctx)

    return hook


@pytest.fixture
def add(manager: HookManager, one_hook: Callable[..., Any]) -> Callable[..., str]:
    """Return a way to register one function at one point, as author and operator want it."""

    def register(
        point: str,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        operator: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> str:
        plugin = one_hook(point, function, **options)
        return register_configured(manager, plugin, name, **(operator or {}))

    return register


@pytest.fixture
def clock() -> Iterator[HandClock]:
    """Return the clock that hooks' timeouts go by: it stands until the test advances it."""
    with clock_by_hand() as made:
        yield made


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Return an event that lets hanging hooks go at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def call() -> Callable[..., ToolCallContext]:
    """Return a maker of tool-call contexts with a dict of arguments."""

    def make(tool_name: str = "read_file", **fields: Any) -> ToolCallContext:
        fields.setdefault("payload", {"path": "notes.txt"})
        return ToolCallContext(tool_name=tool_name, **fields)

    return make


@pytest.fixture
def no_leaks() -> Iterator[None]:
    """Collect garbage at the end, so that a coroutine that nobody awaited fails the test."""
    yield
    gc.collect()
