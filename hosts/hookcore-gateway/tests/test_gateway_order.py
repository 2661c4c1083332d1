"""The order of a message's life, what hooks are told in it, and the enriching step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hookcore import ChannelMessage, HookManager, ModelChoice
from hookcore_agent import Agent, ScriptedModel, ToolCall
from hookcore_gateway import Gateway, GatewayError, InMemoryChannel

pytestmark = pytest.mark.asyncio

MODEL_CALL = ["model_resolve", "prompt_build", "pre_model_call", "model_input", "model_output"]


def lookup(key: str) -> str:
    """Look something up."""
    return key.upper()


def names(seen: list[tuple[str, Any]]) -> list[str]:
    return [name for name, _ in seen]


async def test_a_message_meets_the_hooks_in_the_order_of_its_life(
    manager: HookManager, seen: list[tuple[str, Any]]
) -> None:
    channel = InMemoryChannel()
    model = ScriptedModel([[ToolCall("lookup", {"key": "a"})], "found"])

    def enrich(message: ChannelMessage) -> None:
        seen.append(("enrich", message))

    async with Gateway(Agent("clerk", model, [lookup]), channel, manager, enrich=[enrich]):
        await channel.post("hi").outcome()
    assert names(seen) == [
        "gateway_start",
        "message_received",
        "session_start",
        "enrich",
        *MODEL_CALL,
        "pre_tool_call",
        "post_tool_call",
        "tool_finished",
        *MODEL_CALL,
        "message_sending",
        "message_sent",
        "session_end",
        "gateway_stop",
    ]


async def test_the_points_of_a_message_carry_its_session_run_agent_and_path(
    manager: HookManager, seen: list[tuple[str, Any]]
) -> None:
    channel = InMemoryChannel()
    agent = Agent("clerk", ScriptedModel(["hello"]))
    async with Gateway(agent, channel, manager) as gateway:
        ticket = channel.post("hi")
        await ticket.outcome()
        [session] = gateway.sessions
    by_name = dict(seen)
    sending = by_name["message_sending"]
    assert sending.session_id == by_name["session_start"].session_id == session
    assert sending.run_id == by_name["model_input"].run_id is not None
    assert sending.agent is agent
    assert sending.attributes == {
        "path": "channel",
        "kind": "replied",
        "in_reply_to": ticket.message_id,
    }


async def test_a_received_message_can_be_rewritten_and_the_reply_goes_where_it_came_from(
    manager: HookManager, policy: Any
) -> None:
    channel = InMemoryChannel()
    model = ScriptedModel(["hello"])
    policy("message_received", lambda ctx: replace(ctx.payload, content="rewritten", sender="eve"))
    async with Gateway(Agent("clerk", model), channel, manager):
        await channel.post("hi", sender="ana").outcome()
    assert model.requests[0].messages[-1].content == "rewritten"
    assert [(m.recipient, m.content) for m in channel.sent] == [("ana", "hello")]


async def test_an_edit_of_a_hook_leaves_the_senders_message_alone(
    manager: HookManager, policy: Any
) -> None:
    channel = InMemoryChannel()
    message = ChannelMessage(
        channel="memory", sender="ana", recipient="", content="hi", attachments=[{"a": 1}]
    )
    policy("message_received", lambda ctx: ctx.payload.attachments.clear())
    async with Gateway(Agent("clerk", ScriptedModel(["hello"])), channel, manager) as gateway:
        await gateway.submit(message).outcome()
    assert message.attachments == [{"a": 1}]


async def test_an_accepted_message_is_not_changed_by_its_sender(
    manager: HookManager, seen: list[tuple[str, Any]]
) -> None:
    channel = InMemoryChannel()
    message = ChannelMessage(
        channel="memory", sender="ana", recipient="", content="hi", attachments=[{"a": 1}]
    )
    async with Gateway(Agent("clerk", ScriptedModel(["hello"])), channel, manager) as gateway:
        ticket = gateway.submit(message)
        message.attachments.clear()
        await ticket.outcome()
    assert dict(seen)["message_received"].payload.attachments == [{"a": 1}]


async def test_a_hook_that_edits_the_id_does_not_lead_the_reply_astray(
    manager: HookManager, policy: Any
) -> None:
    def edit(ctx: Any) -> None:
        ctx.payload.id = "another"

    policy("message_received", edit)
    channel = InMemoryChannel()
    async with Gateway(Agent("clerk", ScriptedModel(["hello"])), channel, manager):
        ticket = channel.post("hi")
        await ticket.outcome()
    assert channel.sent[0].metadata["in_reply_to"] == ticket.message_id


async def test_a_model_and_a_prompt_can_be_chosen(manager: HookManager, policy: Any) -> None:
    channel = InMemoryChannel()
    small, large = ScriptedModel(["small"], name="s"), ScriptedModel(["large"], name="l")
    policy("model_resolve", lambda ctx: ModelChoice("script", "l"), name="route")
    policy("prompt_build", lambda ctx: f"{ctx.payload} Be brief.", name="prompt")
    agent = Agent("clerk", small, models=[large], instructions="Help.")
    async with Gateway(agent, channel, manager):
        await channel.post("hi").outcome()
    assert channel.sent[0].content == "large"
    assert large.requests[0].messages[0].content == "Help. Be brief."


async def test_what_enriching_adds_is_what_the_agent_reads(manager: HookManager) -> None:
    async def fetch(message: ChannelMessage) -> ChannelMessage:
        return replace(message, content=f"{message.content} [link: weather, rain]")

    def shout(message: ChannelMessage) -> None:
        message.content += "!"

    channel = InMemoryChannel()
    model = ScriptedModel(["hello"])
    async with Gateway(Agent("clerk", model), channel, manager, enrich=[fetch, shout]):
        await channel.post("see").outcome()
    assert model.requests[0].messages[-1].content == "see [link: weather, rain]!"


async def test_enriching_that_returns_no_message_is_an_error_that_users_do_not_read(
    manager: HookManager, caplog: pytest.LogCaptureFixture
) -> None:
    channel = InMemoryChannel()
    enrich: Any = lambda message: "text"  # noqa: E731
    async with Gateway(Agent("clerk", ScriptedModel([])), channel, manager, enrich=[enrich]):
        outcome = await channel.post("see").outcome()
    assert outcome.status == "error"
    assert "ChannelMessage" not in channel.sent[0].content
    assert "enrich returns a ChannelMessage or None, not str" in caplog.text


async def test_a_message_goes_to_the_agent_that_it_names(manager: HookManager) -> None:
    channel = InMemoryChannel()
    agents = [Agent(name, ScriptedModel([name])) for name in ("clerk", "chef")]
    async with Gateway(agents, channel, manager):
        await channel.post("hi", recipient="chef").outcome()
        await channel.post("hi", recipient="nobody").outcome()
    assert [message.sender for message in channel.sent] == ["chef", "clerk"]


async def test_an_operators_route_decides_which_agent_answers(manager: HookManager) -> None:
    channel = InMemoryChannel()
    agents = [Agent(name, ScriptedModel([name])) for name in ("clerk", "chef")]
    async with Gateway(agents, channel, manager, route=lambda message: "chef"):
        await channel.post("hi", recipient="clerk").outcome()
    assert channel.sent[0].content == "chef"


async def test_an_agent_with_other_hooks_is_refused(manager: HookManager) -> None:
    agent = Agent("clerk", ScriptedModel([]), hooks=HookManager())
    with pytest.raises(GatewayError, match="agent clerk was given other hooks"):
        Gateway(agent, InMemoryChannel(), manager)


@pytest.mark.parametrize(
    ("point", "other"),
    [
        (
            "message_received",
            ChannelMessage(channel="memory", sender="eve", recipient="", content="other"),
        ),
        (
            "message_sending",
            ChannelMessage(channel="memory", sender="clerk", recipient="eve", content="other"),
        ),
        ("setup_message", "other"),
        ("setup_tools", {}),
        ("model_resolve", ModelChoice("other", "other")),
        ("prompt_build", "other"),
    ],
)
async def test_what_gates_have_judged_is_what_goes_on_whoever_kept_the_context(
    manager: HookManager, policy: Any, point: str, other: Any
) -> None:
    kept: list[Any] = []
    policy(point, lambda ctx: kept.append(ctx), name="keeper")  # noqa: PLW0108 - a mark is set on it
    policy(point, lambda ctx: None, name="gate", gate=True)

    def late(event: Any) -> None:
        if event.interception_point == point and kept:
            kept.pop().payload = other

    unsubscribe = manager.subscribe(late)
    model = ScriptedModel(lambda request: f"{request.model} {request.messages[-1].content}")
    agent = Agent("clerk", model, instructions="Be brief.")
    channel = InMemoryChannel()
    async with Gateway(agent, channel, manager):
        await channel.post("hi", sender="ana").outcome()
    unsubscribe()
    [sent] = channel.sent
    assert (sent.recipient, sent.content) == ("ana", "scripted hi")
    assert kept == []
