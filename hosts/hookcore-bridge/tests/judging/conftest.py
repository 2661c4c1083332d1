"""A judge with policies of the test, and calls of every client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_bridge.dialects import CLIENTS, read
from hookcore_bridge.judging import Judge

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask() -> Iterator[Ask]:
    """Return a function: the answer of policies to what a client tells, in its form."""
    judges: dict[int, Judge] = {}
    policies: list[Any] = []

    def answer(client: str, told: dict[str, Any], event: str | None = None, *plugins: Any) -> Any:
        key = tuple(map(id, plugins)).__hash__()
        if key not in judges:
            manager = HookManager()
            for number, plugin in enumerate(plugins):
                manager.register(plugin, name=f"policy-{number}")
            policies.extend(plugins)
            judges[key] = Judge(manager)
        return judges[key].answer(read(CLIENTS[client], told, event), 5.0)

    yield answer
    for judge in judges.values():
        judge.close()
