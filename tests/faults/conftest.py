"""A manager, and a short way to give it hooks."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hooks.options import OperatorOptions

from .kit import Recorder, SaysYes, plugin_of


@pytest.fixture
def manager() -> Iterator[HookManager]:
    """Return an empty manager, whose threads end with the test."""
    made = HookManager(prompter=SaysYes())
    yield made
    made.close()


@pytest.fixture
def add(manager: HookManager) -> Callable[..., str]:
    """Return a way to register one function at one point, as author and operator want it."""

    def register(
        point: str, function: Callable[..., Any], *, monitor: bool = False, **options: Any
    ) -> str:
        operator = OperatorOptions(mode="monitor") if monitor else None
        return manager.register_configured(plugin_of(point, function, **options), operator=operator)

    return register


@pytest.fixture
def watch(add: Callable[..., str]) -> Callable[..., Recorder]:
    """Return a way to watch a point."""

    def register(point: str, **options: Any) -> Recorder:
        recorder = Recorder()

        def hook(ctx: Any) -> None:
            recorder.hook(ctx)

        add(point, hook, **options)
        return recorder

    return register


@pytest.fixture(scope="module", autouse=True)
def _no_leaks() -> Iterator[None]:
    """Collect garbage at a file's end, so that a coroutine that nobody awaited fails."""
    yield
    gc.collect()
