"""Ways to stream events past plugins, and to see all that they let out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from hookcore import HookManager

from .policies import leaves, plain


@pytest.fixture
def said() -> Callable[[list[Any]], list[str]]:
    """Return a function for all texts in some events: each by itself, and by place joined."""

    def collect(events: list[Any]) -> list[str]:
        joined: dict[Any, str] = {}
        texts: list[str] = []
        for event in map(plain, events):
            kind = event.get("type") if isinstance(event, dict) else type(event)
            for path, text in leaves(event):
                place = (str(kind), path)
                joined[place] = joined.get(place, "") + text
                texts.append(text)
        return [*texts, *joined.values()]

    return collect


Through = Callable[..., list[Any]]


@pytest.fixture(params=["sync", "async"])
def through(request: pytest.FixtureRequest) -> Through:
    """Return a function that streams events past plugins, for a host that awaits and one not."""

    def stream(events: list[Any], *plugins: object, codec: Any = None) -> list[Any]:
        manager = HookManager()
        for plugin in plugins:
            manager.register(plugin)
        options = {} if codec is None else {"codec": codec}
        if request.param == "sync":
            return list(manager.stream_model([], lambda sent: iter(events), **options))

        async def model(messages: Any) -> AsyncIterator[Any]:
            for event in events:
                yield event

        async def collected() -> list[Any]:
            return [event async for event in manager.astream_model([], model, **options)]

        return asyncio.run(collected())

    return stream
