"""The effect of a cancel at each site: who is told what, and what stays in the conversation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hookcore import NEUTRAL_MESSAGE, HookManager
from hookcore_agent import Agent, ScriptedModel, ToolCall
from hookcore_gateway import Gateway, InMemoryChannel

pytestmark = pytest.mark.asyncio

Lines = list[tuple[str, str]]


def lookup(key: str) -> str:
    """Look something up."""
    return key.upper()


def history(model: ScriptedModel) -> Lines:
    """Return the conversation that the model was asked to go on with last."""
    return [(message.role, message.content) for message in model.requests[-1].messages]


async def asked_twice(manager: HookManager, turns: list[Any]) -> tuple[list[str], Lines, list[str]]:
    """Post "one" and "two"; return the statuses, the second's conversation, and what was sent."""
    channel = InMemoryChannel()
    model = ScriptedModel(turns)
    async with Gateway(Agent("clerk", model, [lookup]), channel, manager):
        statuses = [(await channel.post(text).outcome()).status for text in ("one", "two")]
    return statuses, history(model), [message.content for message in channel.sent]


REFUSED_BEFORE_IT_WAS_STORED: Lines = [("user", "two")]
NOT_ANSWERED: Lines = [("user", "one"), ("assistant", "Not today."), ("user", "two")]


@pytest.mark.parametrize(
    ("point", "turns", "kept"),
    [
        ("message_received", [], REFUSED_BEFORE_IT_WAS_STORED),
        ("setup_message", [], REFUSED_BEFORE_IT_WAS_STORED),
        ("input", [], REFUSED_BEFORE_IT_WAS_STORED),
        ("model_resolve", [], NOT_ANSWERED),
        ("prompt_build", [], NOT_ANSWERED),
        ("pre_model_call", [], NOT_ANSWERED),
        ("post_model_call", ["unfit"], NOT_ANSWERED),
        ("output", ["unfit"], NOT_ANSWERED),
        ("message_sending", ["unfit"], NOT_ANSWERED),
    ],
)
async def test_a_cancel_tells_the_user_its_message_and_leaves_no_orphan(
    manager: HookManager, deny: Any, point: str, turns: list[str], kept: Lines
) -> None:
    deny(point, "Not today.", times=1)
    statuses, conversation, sent = await asked_twice(manager, [*turns, "fine"])
    assert (statuses, sent) == (["denied", "replied"], ["Not today.", "fine"])
    assert conversation == kept


@pytest.mark.parametrize("point", ["message_received", "pre_model_call", "message_sending"])
async def test_a_cancel_without_a_message_is_told_in_neutral_words(
    manager: HookManager, deny: Any, point: str, caplog: pytest.LogCaptureFixture
) -> None:
    deny(point, times=1)
    _, _, sent = await asked_twice(manager, ["answer", "fine"])
    assert sent[0] == NEUTRAL_MESSAGE
    assert "the secret reason" not in " ".join(sent)
    assert f"denied by no-{point}.hook: the secret reason" in caplog.text


async def test_a_cancelled_tool_call_is_told_to_the_model_which_goes_on(
    manager: HookManager, deny: Any
) -> None:
    deny("pre_tool_call", "No look-ups.")
    turns = [[ToolCall("lookup", {"key": "a"}, "c1")], "sorry", "fine"]
    statuses, conversation, sent = await asked_twice(manager, turns)
    assert (statuses, sent) == (["replied", "replied"], ["sorry", "fine"])
    assert conversation[2] == ("tool", "denied by no-pre_tool_call.hook: No look-ups.")


async def test_a_reply_and_the_text_in_its_place_can_both_be_kept_back(
    manager: HookManager, deny: Any
) -> None:
    deny("message_sending", "Not today.", times=2)
    statuses, conversation, sent = await asked_twice(manager, ["unfit", "fine"])
    assert (statuses, sent) == (["denied", "replied"], ["fine"])
    assert conversation[1] == ("assistant", "[no answer was sent]")


async def test_a_refused_notice_is_not_tried_again(
    manager: HookManager, deny: Any, seen: list[tuple[str, Any]]
) -> None:
    deny("message_received")
    deny("message_sending")
    channel = InMemoryChannel()
    async with Gateway(Agent("clerk", ScriptedModel([])), channel, manager):
        outcome = await channel.post("hi").outcome()
    assert (outcome.status, outcome.delivered, channel.sent) == ("denied", None, [])
    assert [name for name, _ in seen].count("message_sending") == 1


async def test_a_failed_model_is_told_in_neutral_words_and_its_error_to_the_operator(
    manager: HookManager, caplog: pytest.LogCaptureFixture
) -> None:
    statuses, conversation, sent = await asked_twice(manager, [ValueError("key sk-1"), "fine"])
    assert statuses == ["error", "replied"]
    assert "sk-1" not in sent[0]
    assert conversation == [("user", "one"), ("assistant", sent[0]), ("user", "two")]
    assert "key sk-1" in caplog.text


async def test_the_conversation_keeps_what_was_sent_and_not_what_was_rewritten(
    manager: HookManager, policy: Any
) -> None:
    policy("message_sending", lambda ctx: replace(ctx.payload, content="[cut]"))
    _, conversation, sent = await asked_twice(manager, ["my key is sk-1", "fine"])
    assert sent == ["[cut]", "[cut]"]
    assert conversation == [("user", "one"), ("assistant", "[cut]"), ("user", "two")]


async def test_message_sent_does_not_fire_when_the_channel_fails(
    manager: HookManager, seen: list[tuple[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(InMemoryChannel):
        async def send(self, message: Any) -> None:
            raise OSError("the line is dead")

    channel = Broken()
    async with Gateway(Agent("clerk", ScriptedModel(["hello"])), channel, manager):
        outcome = await channel.post("hi").outcome()
    fired = [name for name, _ in seen]
    assert (fired.count("message_sending"), fired.count("message_sent")) == (1, 0)
    assert outcome.delivered is None
    assert "the line is dead" in caplog.text


async def test_message_sent_carries_what_was_really_delivered(
    manager: HookManager, policy: Any, seen: list[tuple[str, Any]]
) -> None:
    policy("message_sending", lambda ctx: replace(ctx.payload, content="final"))
    channel = InMemoryChannel()
    async with Gateway(Agent("clerk", ScriptedModel(["draft"])), channel, manager):
        await channel.post("hi").outcome()
    assert dict(seen)["message_sent"].payload == channel.sent[0]
    assert channel.sent[0].content == "final"


def elsewhere(ctx: Any) -> Any:
    return replace(ctx.payload, channel="other", recipient="eve", content="rewritten")


async def test_a_reply_is_not_led_elsewhere_unless_the_operator_allows_it(
    manager: HookManager, policy: Any, caplog: pytest.LogCaptureFixture
) -> None:
    policy("message_sending", elsewhere)
    here, other = InMemoryChannel(), InMemoryChannel("other")
    async with Gateway(Agent("clerk", ScriptedModel(["hello"])), [here, other], manager):
        await here.post("hi", sender="ana").outcome()
    assert [(m.recipient, m.content) for m in here.sent] == [("ana", "rewritten")]
    assert other.sent == []
    assert "changed channel, recipient of message" in caplog.text


async def test_a_reply_is_led_elsewhere_where_the_operator_allows_it(
    manager: HookManager, policy: Any
) -> None:
    policy("message_sending", elsewhere)
    here, other = InMemoryChannel(), InMemoryChannel("other")
    agent = Agent("clerk", ScriptedModel(["hello"]))
    async with Gateway(agent, [here, other], manager, allow_reroute=True):
        await here.post("hi", sender="ana").outcome()
    assert here.sent == []
    assert [(m.recipient, m.content) for m in other.sent] == [("eve", "rewritten")]


async def test_a_gate_judges_the_recipient_that_the_reply_really_has(
    manager: HookManager, policy: Any
) -> None:
    judged: list[str] = []
    policy("message_sending", elsewhere, name="elsewhere")
    policy("message_sending", lambda ctx: judged.append(ctx.payload.recipient), name="g", gate=True)
    channel = InMemoryChannel()
    async with Gateway(Agent("clerk", ScriptedModel(["hello"])), channel, manager):
        await channel.post("hi", sender="ana").outcome()
    assert judged[-1] == channel.sent[0].recipient == "ana"


async def test_a_failing_observer_of_message_sent_changes_nothing(
    manager: HookManager, policy: Any
) -> None:
    def fail(ctx: Any) -> None:
        raise RuntimeError("oops")

    policy("message_sent", fail, on_error="raise")
    channel = InMemoryChannel()
    async with Gateway(Agent("clerk", ScriptedModel(["hello"])), channel, manager):
        outcome = await channel.post("hi").outcome()
    assert (outcome.status, outcome.delivered) == ("replied", channel.sent[0])
