"""A call in two halves answers alike whether a hook can see it or not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting import SplitCalls, UnknownCallError

pytestmark = pytest.mark.asyncio


class _Silent:
    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        """Say nothing."""


@pytest.fixture(params=["heard", "unheard"])
def calls(request: pytest.FixtureRequest) -> SplitCalls:
    manager = HookManager()
    if request.param == "heard":
        manager.register(_Silent())
    return SplitCalls(manager)


async def test_it_goes_on_with_what_the_host_has(calls: SplitCalls) -> None:
    assert await calls.begin("add", {"a": 1}, call_id="c1", agent="clerk") == {"a": 1}
    assert list(calls.open) == ["c1"]
    assert await calls.end("c1", "3") == "3"
    assert list(calls.open) == []


async def test_without_a_value_it_ends_with_none(calls: SplitCalls) -> None:
    await calls.begin("add", {}, call_id="c1")
    assert await calls.end("c1") is None


async def test_an_error_comes_back(calls: SplitCalls) -> None:
    await calls.begin("read", {}, call_id="c1")
    error = OSError("gone")
    with pytest.raises(OSError, match="gone") as raised:
        await calls.end("c1", error=error)
    assert raised.value is error


async def test_an_error_with_a_value_goes_on_with_the_value(calls: SplitCalls) -> None:
    await calls.begin("read", {}, call_id="c1")
    assert await calls.end("c1", "it failed", error=OSError("gone")) == "it failed"


async def test_one_that_is_abandoned_is_open_no_more(calls: SplitCalls) -> None:
    await calls.begin("read", {}, call_id="c1")
    await calls.abandon("c1")
    with pytest.raises(UnknownCallError, match="c1"):
        await calls.end("c1", "late")


async def test_an_id_is_open_once(calls: SplitCalls) -> None:
    await calls.begin("read", {}, call_id="c1")
    with pytest.raises(ValueError, match="'c1' is open"):
        await calls.begin("read", {}, call_id="c1")
    await calls.close()
    assert calls.open == ()


async def test_a_field_that_no_context_has_is_refused(calls: SplitCalls) -> None:
    with pytest.raises(TypeError, match="agnet"):
        await calls.begin("read", {}, call_id="c1", agnet="clerk")
    assert calls.open == ()


async def test_what_nobody_hears_takes_no_task() -> None:
    calls, before = SplitCalls(HookManager()), asyncio.all_tasks()
    await calls.begin("read", {}, call_id="c1")
    assert asyncio.all_tasks() == before
    assert await calls.end("c1", "text") == "text"
