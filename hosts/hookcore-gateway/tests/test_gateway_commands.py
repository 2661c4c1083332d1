"""Commands: their names, what they return, and whom /stop and /new reach."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hookcore import ChannelMessage, HookManager
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import Gateway, GatewayError, InMemoryChannel, Prompt


def say(message: ChannelMessage) -> str:
    return "said"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("stop", "'stop', which is a command of the gateway's own"),
        ("new", "'new', which is a command of the gateway's own"),
        ("/status", "one word without spaces and slashes"),
        ("two words", "one word without spaces and slashes"),
        ("", "one word without spaces and slashes"),
        (None, "one word without spaces and slashes"),
        ("Status", "in lower case only"),
    ],
)
def test_a_command_that_can_never_be_called_is_refused(
    manager: HookManager, name: Any, problem: str
) -> None:
    with pytest.raises(GatewayError, match=problem):
        Gateway(Agent("clerk", ScriptedModel([])), InMemoryChannel(), manager, commands={name: say})


def test_a_command_that_is_no_function_is_refused(manager: HookManager) -> None:
    commands: Any = {"status": "fine"}
    with pytest.raises(GatewayError, match="no function for 'status'"):
        Gateway(Agent("clerk", ScriptedModel([])), InMemoryChannel(), manager, commands=commands)


@pytest.mark.asyncio
@pytest.mark.parametrize("made", [None, 5, ["text"]])
async def test_a_command_that_returns_no_text_is_an_error_and_not_a_message_for_the_agent(
    manager: HookManager, made: Any, caplog: pytest.LogCaptureFixture
) -> None:
    channel = InMemoryChannel()
    model = ScriptedModel([])
    commands = {"status": lambda message: made}
    async with Gateway(Agent("clerk", model), channel, manager, commands=commands):
        outcome = await channel.post("/status").outcome()
    assert (outcome.status, model.requests) == ("error", [])
    assert channel.sent[0].content.startswith("Something went wrong")
    assert f"the command /status returned {type(made).__name__}, and not a text" in caplog.text


@pytest.mark.asyncio
async def test_stop_reaches_what_its_sender_began_on_another_path(manager: HookManager) -> None:
    began = asyncio.Event()

    async def hang() -> None:
        began.set()
        await asyncio.Event().wait()

    channel = InMemoryChannel()
    message = ChannelMessage(channel="memory", sender="ana", recipient="", content="work")
    async with Gateway(Agent("clerk", ScriptedModel([hang])), channel, manager) as gateway:
        ticket = gateway.submit(message, path="webhook")
        await began.wait()
        await channel.post("/stop", sender="ana").outcome()
        outcome = await asyncio.wait_for(ticket.outcome(), 5)
    assert outcome.status == "stopped"
    assert "Stopped: 1." in [sent.content for sent in channel.sent]


@pytest.mark.asyncio
async def test_a_sender_has_one_conversation_whichever_way_its_messages_come(
    manager: HookManager,
) -> None:
    channel = InMemoryChannel()
    message = ChannelMessage(channel="memory", sender="ana", recipient="", content="one")
    model = ScriptedModel(["1", "2"])
    async with Gateway(Agent("clerk", model), channel, manager) as gateway:
        await gateway.submit(message, path="webhook").outcome()
        await channel.post("two", sender="ana").outcome()
    assert [said.content for said in model.requests[-1].messages] == ["one", "1", "two"]


@pytest.mark.asyncio
async def test_new_of_a_sender_named_heartbeat_leaves_the_prompts_session_alone(
    manager: HookManager,
) -> None:
    channel = InMemoryChannel()
    agent = Agent("clerk", ScriptedModel(lambda request: "fine"))
    prompts = [Prompt("anything new?", "memory", "ana")]
    async with Gateway(agent, channel, manager, heartbeat=0.01, prompts=prompts) as gateway:
        await channel.delivered(1)
        before = gateway.sessions
        await channel.post("/new", sender="heartbeat").outcome()
        assert gateway.sessions == before
