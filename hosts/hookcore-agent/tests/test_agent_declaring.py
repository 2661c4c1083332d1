"""An agent says what it dispatches, so that no policy waits in vain for a message."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from hookcore import HookManager, InterceptionPoint
from hookcore_agent import Agent, ScriptedModel
from hookcore_agent.declaring import POINTS
from hookcore_gateway import Gateway, InMemoryChannel

pytestmark = pytest.mark.asyncio


def clerk(manager: HookManager) -> Agent:
    return Agent("clerk", ScriptedModel(lambda request: "hello"), hooks=manager)


@pytest.mark.parametrize("point", ["message_sending", "session_start", "pre_step"])
async def test_a_policy_that_waits_where_no_agent_comes_is_told(
    manager: HookManager, policy: Any, caplog: pytest.LogCaptureFixture, point: str
) -> None:
    policy(point, lambda ctx: None, name="waiting")
    for _ in range(2):
        await clerk(manager).run("hi")
    [record] = [record for record in caplog.records if "never dispatches" in record.message]
    assert (record.levelno, "waiting" in record.message) == (logging.WARNING, True)


async def test_a_policy_that_comes_later_is_told_too(
    manager: HookManager, policy: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await clerk(manager).run("hi")
    policy("message_sending", lambda ctx: None)
    assert "which this host never dispatches" in caplog.text


async def test_a_policy_that_also_hooks_what_an_agent_dispatches_misses_nothing(
    manager: HookManager, caplog: pytest.LogCaptureFixture
) -> None:
    from hookcore import hookimpl

    class Both:
        @hookimpl
        def message_sending(self, ctx: Any) -> None: ...

        @hookimpl
        def output(self, ctx: Any) -> None: ...

    manager.register(Both())
    await clerk(manager).run("hi")
    assert caplog.text == ""


async def test_behind_a_gateway_messages_are_dispatched_whoever_came_first(
    manager: HookManager, policy: Any, caplog: pytest.LogCaptureFixture
) -> None:
    agent = clerk(manager)
    await agent.run("hi")
    async with Gateway(agent, InMemoryChannel(), manager):
        policy("message_sending", lambda ctx: None)
        await agent.run("hi")
        policy("message_received", lambda ctx: None, name="another")
    assert caplog.text == ""


async def test_the_programs_own_word_stands(
    manager: HookManager, policy: Any, caplog: pytest.LogCaptureFixture
) -> None:
    manager.declare(list(InterceptionPoint))
    agent = clerk(manager)
    await agent.run("hi")
    async with Gateway(agent, InMemoryChannel(), manager):
        policy("pre_step", lambda ctx: None)
    assert caplog.text == ""


async def test_all_that_an_agent_fires_is_declared(
    manager: HookManager, points: list[tuple[str, Any]]
) -> None:
    await clerk(manager).run("hi")
    assert {name for name, _ in points} <= set(POINTS)
