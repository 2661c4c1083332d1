"""Handlers behind the gateway: all fifteen hooks are called, and a cancel leaves no orphan."""

from __future__ import annotations

import asyncio
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookcore_agent import Agent, ScriptedModel, ToolCall
from hookcore_gateway import Gateway, InMemoryChannel
from hookcore_gateway.zeroclaw import Cancel, ChannelMessage, HookHandler, HookResult, HookRunner

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "zeroclaw"
VOID = (
    "on_gateway_start",
    "on_gateway_stop",
    "on_session_start",
    "on_session_end",
    "on_llm_input",
    "on_llm_output",
    "on_after_tool_call",
    "on_message_sent",
    "on_heartbeat_tick",
)
MODIFYING = (
    "before_model_resolve",
    "before_prompt_build",
    "before_llm_call",
    "before_tool_call",
    "on_message_received",
    "on_message_sending",
)


def noting(name: str) -> Any:
    default = getattr(HookHandler, name)

    async def method(self: Any, *args: Any) -> Any:
        self.log.append(name)
        return await default(self, *args)

    return method


class Everything(HookHandler):
    """Notes each of the fifteen hooks, and goes on with what it was given."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def name(self) -> str:
        return "everything"


for _method in (*VOID, *MODIFYING):
    setattr(Everything, _method, noting(_method))


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@pytest.mark.asyncio
async def test_each_of_the_fifteen_hooks_is_called_in_the_order_of_a_messages_life(
    runner: HookRunner, make_handler: Callable[..., HookHandler]
) -> None:
    everything, beaten = Everything(), asyncio.Event()

    async def beat() -> None:
        beaten.set()

    runner.register(everything)
    runner.register(make_handler("beat", on_heartbeat_tick=beat))
    script = [[ToolCall("add", {"a": 1, "b": 2}, "c1")], "three"]
    agent = Agent("adder", ScriptedModel(script), [add], hooks=runner.manager)
    channel = InMemoryChannel()
    async with Gateway(agent, channel, runner.manager, heartbeat=0.02):
        outcome = await channel.post("1 + 2?").outcome()
        await beaten.wait()
    assert outcome.delivered is not None
    assert outcome.delivered.content == "three"
    assert set(everything.log) == {*VOID, *MODIFYING}
    model = ["before_model_resolve", "before_prompt_build", "before_llm_call"]
    model += ["on_llm_input", "on_llm_output"]
    assert [name for name in everything.log if name != "on_heartbeat_tick"] == [
        "on_gateway_start",
        "on_message_received",
        "on_session_start",
        *model,
        "before_tool_call",
        "on_after_tool_call",
        *model,
        "on_message_sending",
        "on_message_sent",
        "on_session_end",
        "on_gateway_stop",
    ]


class Refusing(Everything):
    """Cancels at one place, for a reason that nobody else may read."""

    async def on_message_received(self, message: ChannelMessage) -> HookResult[ChannelMessage]:
        return Cancel("s3cret") if message.content == "spam" else HookResult.Continue(message)

    async def on_message_sending(
        self, channel: str, recipient: str, content: str
    ) -> HookResult[tuple[str, str, str]]:
        if content == "leak":
            return Cancel("s3cret")
        return HookResult.Continue((channel, recipient, content))


@pytest.mark.asyncio
async def test_a_message_that_is_cancelled_reaches_no_agent_and_its_reason_nobody(
    runner: HookRunner,
) -> None:
    refusing, model, channel = Refusing(), ScriptedModel(["hello"]), InMemoryChannel()
    runner.register(refusing)
    async with Gateway(Agent("a", model, hooks=runner.manager), channel, runner.manager):
        outcome = await channel.post("spam").outcome()
    assert (outcome.status, model.requests) == ("denied", [])
    assert "on_session_start" not in refusing.log
    assert "s3cret" not in "".join(message.content for message in channel.sent)


@pytest.mark.asyncio
async def test_a_reply_that_is_cancelled_is_not_sent_and_not_told_as_sent(
    runner: HookRunner,
) -> None:
    refusing, channel = Refusing(), InMemoryChannel()
    runner.register(refusing)
    agent = Agent("a", ScriptedModel(["leak"]), hooks=runner.manager)
    async with Gateway(agent, channel, runner.manager):
        await channel.post("hi").outcome()
    texts = [message.content for message in channel.sent]
    assert not any(word in text for text in texts for word in ("leak", "s3cret"))
    assert refusing.log.count("on_message_sent") == len(texts)


@pytest.mark.asyncio
async def test_sessions_start_and_end_once_each(runner: HookRunner) -> None:
    everything, channel = Everything(), InMemoryChannel()
    runner.register(everything)
    agent = Agent("a", ScriptedModel(["one", "two"]), hooks=runner.manager)
    async with Gateway(agent, channel, runner.manager):
        await channel.post("1").outcome()
        await channel.post("2").outcome()
    assert everything.log.count("on_session_start") == 1
    assert everything.log.count("on_session_end") == 1


@pytest.mark.asyncio
async def test_the_example_hook_works_behind_the_gateway(runner: HookRunner) -> None:
    runner.register(runpy.run_path(str(EXAMPLES / "reply_hook.py"))["ReplyHook"]())
    model, channel = ScriptedModel(["Good morning."]), InMemoryChannel()
    async with Gateway(Agent("a", model, hooks=runner.manager), channel, runner.manager):
        outcome = await channel.post("Hello!").outcome()
    assert model.requests[0].messages[-1].content == "[greeting] Hello!"
    assert outcome.delivered is not None
    assert outcome.delivered.content == "[bot] Good morning."
