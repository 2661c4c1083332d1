"""Hooks that take fewer parameters than the point gives, or take them in another order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator
from typing import Any

import pytest

from hookcore import HookManager, ToolCallContext, hookimpl

Call = Callable[..., ToolCallContext]


class Plain:
    @hookimpl
    def pre_tool_call(self) -> dict[str, Any]:
        return {"made": "without a context"}


class Async:
    @hookimpl
    async def pre_tool_call(self) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"made": "without a context"}


class Around:
    @hookimpl(wrapper=True)
    def pre_tool_call(self) -> Generator[None, Any, Any]:
        yield
        return {"made": "without a context"}


@pytest.mark.parametrize("plugin", [Plain, Async, Around])
def test_a_hook_need_not_take_the_context(manager: HookManager, call: Call, plugin: Any) -> None:
    manager.register(plugin())
    ctx = manager.dispatch("pre_tool_call", call())
    assert ctx.payload == {"made": "without a context"}
    ctx = asyncio.run(manager.adispatch("pre_tool_call", call()))
    assert ctx.payload == {"made": "without a context"}


class Wrapping:
    @hookimpl
    async def wrap_tool_call(self, call_next: Any, ctx: Any) -> str:
        return f"{ctx.tool_name}: {await call_next()}"


class Yielding:
    @hookimpl
    def wrap_tool_call(self, call_next: Any, ctx: Any) -> Generator[None, Any, str]:
        result = yield
        return f"{ctx.tool_name}: {result}"


class Streaming:
    @hookimpl
    async def wrap_model_call(self, call_next: Any, ctx: Any) -> AsyncIterator[Any]:
        yield ctx.model
        async for event in call_next():
            yield event


@pytest.mark.parametrize("plugin", [Wrapping, Yielding])
def test_a_wrap_may_take_its_parameters_in_any_order(manager: HookManager, plugin: Any) -> None:
    manager.register(plugin())
    told = asyncio.run(manager.acall_tool("ls", {}, lambda arguments: "files"))
    assert told == "ls: files"


def test_a_wrap_of_a_stream_may_take_its_parameters_in_any_order(manager: HookManager) -> None:
    async def model(messages: Any) -> AsyncIterator[str]:
        yield "text"

    async def host() -> list[Any]:
        return [event async for event in manager.astream_model([], model, model="small")]

    manager.register(Streaming())
    assert asyncio.run(host()) == ["small", "text"]
