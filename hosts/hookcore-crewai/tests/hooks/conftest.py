from __future__ import annotations

from collections.abc import Iterator

import pytest

from hookcore import HookDispatchedEvent, HookManager
from hookcore_crewai.hooks import clear_all_hooks
from hookcore_crewai.hooks._binding import binding


@pytest.fixture(autouse=True)
def manager() -> Iterator[HookManager]:
    """An empty manager under the drop-in, for this test alone."""
    fresh = HookManager()
    clear_all_hooks()
    before = binding.use(fresh)
    yield fresh
    clear_all_hooks()
    binding.use(before)
    fresh.close()


@pytest.fixture
def events(manager: HookManager) -> list[HookDispatchedEvent]:
    heard: list[HookDispatchedEvent] = []
    manager.subscribe(heard.append)
    return heard
