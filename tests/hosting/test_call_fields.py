"""Fields of a call's context that hosts and hooks tell each other by."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from hookcore import HookManager, ModelResponse


@pytest.fixture
def usages(add: Callable[..., str]) -> list[Any]:
    """Return the list of what the ends of model calls tell of tokens."""
    seen: list[Any] = []
    add("model_finished", lambda ctx: seen.append(ctx.usage))
    return seen


@pytest.mark.parametrize(
    "response",
    [
        {"content": "hi", "usage": {"in": 1}},
        SimpleNamespace(usage={"in": 1}),
        SimpleNamespace(usage_metadata={"in": 1}),
        ModelResponse("hi", usage={"in": 1}),
    ],
    ids=["dict", "openai", "google", "ours"],
)
def test_the_end_tells_the_usage_that_the_response_carries(
    manager: HookManager, usages: list[Any], response: Any
) -> None:
    manager.call_model(["hi"], lambda messages: response)
    assert usages == [{"in": 1}]


def test_what_the_host_says_of_the_usage_stands(manager: HookManager, usages: list[Any]) -> None:
    manager.call_model(["hi"], lambda messages: {"usage": 2}, usage={"in": 9})
    assert usages == [{"in": 9}]


@pytest.mark.parametrize("hook", [None, "buffer", "observe"])
def test_a_streams_end_tells_the_usage_too(
    manager: HookManager, usages: list[Any], add: Callable[..., str], hook: str | None
) -> None:
    async def model(messages: Any) -> Any:
        yield "hi"
        yield ModelResponse("hi", usage={"in": 1})

    async def main() -> None:
        async for _ in manager.astream_model(["hi"], model):
            pass

    if hook is not None:
        add("post_model_call", lambda ctx: None, stream=hook)
    asyncio.run(main())
    assert usages == [{"in": 1}]


def test_hooks_can_tell_whether_the_response_is_streamed(
    manager: HookManager, add: Callable[..., str]
) -> None:
    seen = []
    add("pre_model_call", lambda ctx: seen.append(ctx.streamed))

    async def model(messages: Any) -> Any:
        yield "hi"

    async def main() -> None:
        async for _ in manager.astream_model(["hi"], model):
            pass

    manager.call_model(["hi"], lambda messages: "hi")
    asyncio.run(main())
    assert seen == [False, True]
