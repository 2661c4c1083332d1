"""A message that was sent is told once it has arrived, whichever way its channel brings it there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

import pytest

from hookcore import ChannelMessage
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import DeliveryError, Gateway, InMemoryChannel, Outcome
from hookcore_gateway.zeroclaw import HookHandler, HookRunner

pytestmark = pytest.mark.asyncio


class Drafts(InMemoryChannel):
    """Shows a reply as a draft and finalises it; sends it plainly where that does not work.

    Args:
        failing: the steps that fail: "draft", "finalise", "send".
        can_draft: whether it knows drafts at all.
    """

    def __init__(self, failing: Iterable[str] = (), *, can_draft: bool = True) -> None:
        super().__init__("chat")
        self.failing = frozenset(failing)
        self.can_draft = can_draft
        self.steps: list[str] = []

    async def send(self, message: ChannelMessage) -> None:
        if not (self.can_draft and await self._drafted()):
            await self._step("send")
        await super().send(message)

    async def _drafted(self) -> bool:
        try:
            for step in ("draft", "finalise"):
                await self._step(step)
        except DeliveryError:
            return False
        return True

    async def _step(self, step: str) -> None:
        self.steps.append(step)
        await asyncio.sleep(0)
        if step in self.failing:
            raise DeliveryError(f"{step} does not work")


class Told(HookHandler):
    """Notes what it hears was sent, and what had arrived by then."""

    def __init__(self, channel: Drafts) -> None:
        self.channel = channel
        self.log: list[tuple[str, str, str]] = []
        self.arrived: list[int] = []

    def name(self) -> str:
        return "told"

    async def on_message_sent(self, channel: str, recipient: str, content: str) -> None:
        self.log.append((channel, recipient, content))
        self.arrived.append(len(self.channel.sent))


async def replied(
    runner: HookRunner, channel: Drafts, answer: str = "hello"
) -> tuple[Outcome, Told]:
    told = Told(channel)
    runner.register(told)
    agent = Agent("clerk", ScriptedModel([answer]), hooks=runner.manager)
    async with Gateway(agent, channel, runner.manager):
        outcome = await channel.post("hi", sender="ana").outcome()
    return outcome, told


@pytest.mark.parametrize(
    ("can_draft", "failing", "steps"),
    [
        (False, [], ["send"]),
        (True, [], ["draft", "finalise"]),
        (True, ["draft"], ["draft", "send"]),
        (True, ["finalise"], ["draft", "finalise", "send"]),
    ],
)
async def test_a_reply_that_has_arrived_is_told_once(
    runner: HookRunner, failing: list[str], steps: list[str], *, can_draft: bool
) -> None:
    channel = Drafts(failing, can_draft=can_draft)
    outcome, told = await replied(runner, channel)
    assert channel.steps == steps
    assert (told.log, told.arrived) == ([("chat", "ana", "hello")], [1])
    assert outcome.delivered is not None


@pytest.mark.parametrize(
    ("can_draft", "failing", "steps"),
    [
        (False, ["send"], ["send"]),
        (True, ["draft", "send"], ["draft", "send"]),
        (True, ["finalise", "send"], ["draft", "finalise", "send"]),
    ],
)
async def test_a_reply_that_has_not_arrived_is_not_told(
    runner: HookRunner, failing: list[str], steps: list[str], *, can_draft: bool
) -> None:
    channel = Drafts(failing, can_draft=can_draft)
    outcome, told = await replied(runner, channel)
    assert channel.steps == steps
    assert (told.log, outcome.delivered) == ([], None)


async def test_a_reply_of_any_length_arrives_as_a_whole_and_no_hook_is_blamed(
    runner: HookRunner, caplog: pytest.LogCaptureFixture
) -> None:
    channel, answer = Drafts(), "word " * 10_000
    with caplog.at_level(logging.WARNING, logger="hookcore"):
        _, told = await replied(runner, channel, answer)
    assert [message.content for message in channel.sent] == [answer]
    assert told.log == [("chat", "ana", answer)]
    assert caplog.text == ""
