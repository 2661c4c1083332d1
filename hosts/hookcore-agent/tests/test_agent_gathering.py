"""Tools that give their result piece by piece: the model is told all of it."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_agent import Agent, ScriptedModel, Tool, ToolCall, ToolResult

pytestmark = pytest.mark.asyncio


def texts() -> Iterator[str]:
    yield "one, "
    yield "two"


async def async_texts() -> AsyncIterator[str]:
    yield "one, "
    await asyncio.sleep(0)
    yield "two"


async def later() -> Iterator[str]:
    return texts()


def wrapped() -> ToolResult:
    return ToolResult(texts())


def numbers() -> Iterator[int]:
    yield 1
    yield 2


def mapped() -> Iterator[str]:
    return map(str.upper, ["a", "b"])


def nothing() -> Iterator[str]:
    yield from ()


def returning() -> Any:
    yield from ()
    return {"rows": 0}


class Lines:
    """An iterator of its own making."""

    __name__ = "lines"

    def __call__(self) -> Iterator[str]:
        return iter(["one, ", "two"])


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (texts, "one, two"),
        (async_texts, "one, two"),
        (later, "one, two"),
        (wrapped, "one, two"),
        (Lines(), "one, two"),
        (numbers, "[1, 2]"),
        (mapped, "AB"),
        (nothing, ""),
        (returning, '{"rows": 0}'),
        (functools.partial(texts), "one, two"),
    ],
    ids=range(10),
)
async def test_what_a_tool_yields_is_joined(manager: HookManager, function: Any, told: str) -> None:
    model = ScriptedModel([[ToolCall("gives", {})], "done"])
    agent = Agent("a", model, [Tool(function, name="gives")], hooks=manager)
    result = await agent.run("go")
    assert result.messages[2].content == told


async def test_hooks_after_the_tool_see_all_of_it(manager: HookManager, policy: Any) -> None:
    seen = []
    policy("post_tool_call", lambda ctx: seen.append(ctx.tool_result))
    model = ScriptedModel([[ToolCall("texts", {})], "done"])
    await Agent("a", model, [texts], hooks=manager).run("go")
    assert seen == ["one, two"]


async def test_a_generator_that_fails_is_a_tool_that_fails(manager: HookManager) -> None:
    def breaks() -> Iterator[str]:
        yield "one"
        raise OSError("disk")

    model = ScriptedModel([[ToolCall("breaks", {})], "done"])
    result = await Agent("a", model, [breaks], hooks=manager).run("go")
    assert (result.messages[2].content, result.messages[2]["is_error"]) == ("disk", True)


async def test_a_generator_is_closed_and_asked_no_further_when_its_call_was_cancelled(
    manager: HookManager,
) -> None:
    begun, go, closed = threading.Event(), threading.Event(), threading.Event()

    def endless() -> Iterator[str]:
        try:
            while True:
                begun.set()
                go.wait()
                yield "more"
        finally:
            closed.set()

    model = ScriptedModel([[ToolCall("endless", {})], "done"])
    running = asyncio.ensure_future(Agent("a", model, [endless], hooks=manager).run("go"))
    await asyncio.to_thread(begun.wait)
    running.cancel()
    await asyncio.wait({running})
    go.set()
    assert await asyncio.to_thread(closed.wait, 10)


async def test_an_async_generator_is_closed_when_its_call_was_cancelled(
    manager: HookManager,
) -> None:
    begun, closed = asyncio.Event(), asyncio.Event()

    async def endless() -> AsyncIterator[str]:
        try:
            yield "one"
            begun.set()
            await asyncio.get_running_loop().create_future()
        finally:
            closed.set()

    model = ScriptedModel([[ToolCall("endless", {})], "done"])
    running = asyncio.ensure_future(Agent("a", model, [endless], hooks=manager).run("go"))
    await begun.wait()
    running.cancel()
    await asyncio.wait({running})
    assert closed.is_set()
