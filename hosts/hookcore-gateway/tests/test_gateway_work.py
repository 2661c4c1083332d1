"""The worker pool: bounds, order, deadlines, /stop."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import HookManager, hookimpl
from hookcore_agent import Agent, ModelRequest, ScriptedModel, ToolCall
from hookcore_gateway import (
    Gateway,
    GatewayError,
    InMemoryChannel,
    Limits,
    MessageTooLargeError,
    QueueFullError,
)

HANGS = asyncio.Event


class Gate:
    """A model that answers when it is let."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.running: Counter[str] = Counter()
        self.most = 0
        self.open = asyncio.Event()
        self.model = ScriptedModel(self._answer)

    async def _answer(self, request: ModelRequest) -> str:
        text = str(request.messages[-1].content)
        self.asked.append(text)
        self.running["all"] += 1
        self.most = max(self.most, self.running["all"])
        try:
            await self.open.wait()
        finally:
            self.running["all"] -= 1
        return f"re: {text}"

    async def began(self, count: int) -> None:
        while len(self.asked) < count:  # noqa: ASYNC110 - it is the outside of what is tested
            await asyncio.sleep(0.001)


@pytest.mark.asyncio
async def test_a_full_queue_refuses_and_says_when_to_try_again(manager: HookManager) -> None:
    gate, channel = Gate(), InMemoryChannel()
    limits = Limits(queue=2, workers=1, retry_after=7)
    async with Gateway(Agent("clerk", gate.model), channel, manager, limits=limits) as gateway:
        tickets = [channel.post("hi", sender=f"s{number}") for number in range(3)]
        with pytest.raises(QueueFullError) as refused:
            channel.post("hi", sender="late")
        assert refused.value.retry_after == 7
        gate.open.set()
        assert {(await ticket.outcome()).status for ticket in tickets} == {"replied"}
    assert gateway.stats == {"accepted": 3, "refused": 1, "replied": 3}


def test_the_queue_takes_a_thousand_messages_by_default() -> None:
    limits = Limits()
    assert (limits.queue, limits.message_bytes) == (1000, 1024 * 1024)


@pytest.mark.parametrize(("channels", "workers"), [(1, 8), (4, 16), (100, 64)])
def test_the_pool_grows_with_the_channels_within_bounds(channels: int, workers: int) -> None:
    assert Limits().workers_for([f"c{number}" for number in range(channels)]) == workers


def test_a_channel_can_have_a_number_of_its_own() -> None:
    limits = Limits(per_channel={"one": 20})
    assert (limits.of_channel("one"), limits.of_channel("two")) == (20, 4)
    assert limits.workers_for(["one", "two"]) == 24


def test_a_number_for_a_channel_that_is_not_there_is_refused() -> None:
    with pytest.raises(GatewayError, match=r"names mail \(there are: memory\)"):
        Gateway(
            Agent("clerk", ScriptedModel([])),
            InMemoryChannel(),
            HookManager(),
            limits=Limits(per_channel={"mail": 2}),
        )


@pytest.mark.parametrize("bound", ["queue", "deadline", "workers"])
def test_a_bound_that_is_not_positive_is_refused(bound: str) -> None:
    with pytest.raises(GatewayError, match=rf"Limits\({bound}=...\) takes a positive number"):
        Limits(**{bound: 0})


@pytest.mark.asyncio
async def test_a_message_that_is_too_long_is_refused(manager: HookManager) -> None:
    channel = InMemoryChannel()
    limits = Limits(message_bytes=8)
    async with Gateway(Agent("clerk", ScriptedModel(["ok"])), channel, manager, limits=limits):
        with pytest.raises(MessageTooLargeError, match="8 bytes at most"):
            channel.post("ééé")
        assert (await channel.post("éé").outcome()).status == "replied"


@pytest.mark.asyncio
async def test_a_channel_has_a_bound_of_its_own_and_leaves_room_for_others(
    manager: HookManager,
) -> None:
    gate = Gate()
    one, two = InMemoryChannel("one"), InMemoryChannel("two")
    limits = Limits(per_channel=2, workers=8)
    async with Gateway(Agent("clerk", gate.model), [one, two], manager, limits=limits):
        tickets = [one.post("one", sender=f"s{number}") for number in range(5)]
        tickets.append(two.post("two"))
        await gate.began(3)
        await asyncio.sleep(0.01)
        assert Counter(gate.asked) == {"one": 2, "two": 1}
        gate.open.set()
        for ticket in tickets:
            await ticket.outcome()
    assert len(gate.asked) == 6


@pytest.mark.asyncio
async def test_all_channels_together_have_a_bound(manager: HookManager) -> None:
    gate = Gate()
    channels = [InMemoryChannel(name) for name in ("one", "two", "three")]
    limits = Limits(workers=2)
    async with Gateway(Agent("clerk", gate.model), channels, manager, limits=limits):
        tickets = [channel.post("hi", sender=s) for channel in channels for s in ("ana", "ben")]
        await gate.began(2)
        gate.open.set()
        for ticket in tickets:
            await ticket.outcome()
    assert gate.most == 2


@settings(max_examples=settings().max_examples // 4)
@given(
    posts=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=25),
    workers=st.integers(1, 4),
    per_channel=st.integers(1, 3),
)
def test_no_message_is_lost_and_each_senders_stay_in_order(
    posts: list[tuple[str, str]], workers: int, per_channel: int
) -> None:
    async def run() -> None:
        manager = HookManager()
        channels = {name: InMemoryChannel(name) for name in "ab"}
        model = ScriptedModel(lambda request: str(request.messages[-1].content))
        limits = Limits(workers=workers, per_channel=per_channel)
        gateway = Gateway(Agent("clerk", model), channels.values(), manager, limits=limits)
        async with gateway:
            for number, (name, sender) in enumerate(posts):
                channels[name].post(str(number), sender=sender)
        for name, channel in channels.items():
            for who in "xyz":
                sent = [m.content for m in channel.sent if m.recipient == who]
                mine = [str(n) for n, post in enumerate(posts) if post == (name, who)]
                assert sent == mine
        manager.close()

    asyncio.run(run())


# Deadlines


@pytest.mark.asyncio
async def test_a_message_has_a_deadline_and_the_next_one_is_served(manager: HookManager) -> None:
    channel = InMemoryChannel()
    model = ScriptedModel([HANGS().wait, "fine"])
    async with Gateway(Agent("clerk", model), channel, manager, limits=Limits(deadline=0.05)):
        statuses = [(await channel.post(text).outcome()).status for text in ("one", "two")]
    assert statuses == ["timeout", "replied"]
    assert "took too long" in channel.sent[0].content
    told = [(m.role, m.content) for m in model.requests[-1].messages]
    assert told == [
        ("user", "one"),
        ("assistant", channel.sent[0].content),
        ("user", "two"),
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize("point", ["message_received", "session_start", "message_sending"])
async def test_a_hook_that_hangs_does_not_hold_a_worker_for_ever(
    manager: HookManager, policy: Any, point: str
) -> None:
    async def hang(ctx: Any) -> None:
        await asyncio.sleep(60)

    policy(point, hang)
    channel = InMemoryChannel()
    limits = Limits(deadline=0.05, send_timeout=0.05)
    async with Gateway(
        Agent("clerk", ScriptedModel(["hi"])), channel, manager, limits=limits
    ) as gateway:
        outcome = await asyncio.wait_for(channel.post("hi").outcome(), 5)
    assert outcome.delivered is None or outcome.status == "timeout"
    assert gateway.stats["accepted"] == 1


@pytest.mark.asyncio
async def test_a_channel_that_hangs_does_not_hold_a_worker_for_ever(
    manager: HookManager, seen: list[tuple[str, Any]]
) -> None:
    class Slow(InMemoryChannel):
        async def send(self, message: Any) -> None:
            await asyncio.sleep(60)

    channel = Slow()
    limits = Limits(send_timeout=0.05)
    async with Gateway(Agent("clerk", ScriptedModel(["hi"])), channel, manager, limits=limits):
        outcome = await asyncio.wait_for(channel.post("hi").outcome(), 5)
    assert outcome.delivered is None
    assert "message_sent" not in [name for name, _ in seen]


# /stop


@pytest.mark.asyncio
async def test_stop_cancels_a_senders_work_in_flight_and_nobody_elses(
    manager: HookManager,
) -> None:
    gate, channel = Gate(), InMemoryChannel()
    async with Gateway(Agent("clerk", gate.model), channel, manager):
        mine = [channel.post(text, sender="ana") for text in ("one", "two")]
        other = channel.post("three", sender="ben")
        await gate.began(2)
        stop = await channel.post("/stop", sender="ana").outcome()
        assert [(await ticket.outcome()).status for ticket in mine] == ["stopped", "stopped"]
        gate.open.set()
        assert (await other.outcome()).status == "replied"
    assert stop.delivered is not None
    assert stop.delivered.content == "Stopped: 2."
    assert "two" not in gate.asked


@pytest.mark.asyncio
async def test_a_stopped_message_leaves_a_conversation_that_goes_on(manager: HookManager) -> None:
    channel = InMemoryChannel()
    began = asyncio.Event()

    async def hang() -> None:
        began.set()
        await asyncio.sleep(60)

    async def lookup(key: str) -> None:
        """Look something up."""
        await hang()

    turns = [[ToolCall("lookup", {"key": "a"}, "c1")], "fine"]
    model = ScriptedModel(turns)
    async with Gateway(Agent("clerk", model, [lookup]), channel, manager):
        ticket = channel.post("one")
        await began.wait()
        await channel.post("/stop").outcome()
        await ticket.outcome()
        await channel.post("two").outcome()
    roles = [(m.role, m.content) for m in model.requests[-1].messages]
    assert roles == [
        ("user", "one"),
        ("assistant", ""),
        ("tool", "cancelled before completion"),
        ("assistant", "Stopped."),
        ("user", "two"),
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize("point", ["message_received", "message_sending"])
async def test_stop_reaches_work_that_a_hook_holds_up(
    manager: HookManager, policy: Any, point: str
) -> None:
    began = asyncio.Event()

    async def hang(ctx: Any) -> None:
        if not began.is_set():
            began.set()
            await asyncio.sleep(60)

    policy(point, hang)
    channel = InMemoryChannel()
    async with Gateway(Agent("clerk", ScriptedModel(["hi"])), channel, manager):
        ticket = channel.post("one")
        await began.wait()
        await channel.post("/stop").outcome()
        outcome = await asyncio.wait_for(ticket.outcome(), 5)
    assert outcome.status == "stopped"


@pytest.mark.asyncio
async def test_stop_is_heard_while_all_workers_are_busy_and_the_queue_is_full(
    manager: HookManager,
) -> None:
    gate, channel = Gate(), InMemoryChannel()
    limits = Limits(queue=1, workers=1)
    async with Gateway(Agent("clerk", gate.model), channel, manager, limits=limits):
        tickets = [channel.post("one"), channel.post("two")]
        stop = await channel.post("/stop").outcome()
        assert [(await ticket.outcome()).status for ticket in tickets] == ["stopped", "stopped"]
    assert stop.status == "command"


@pytest.mark.asyncio
async def test_stop_with_nothing_in_flight_says_so(manager: HookManager) -> None:
    channel = InMemoryChannel()
    async with Gateway(Agent("clerk", ScriptedModel([])), channel, manager):
        await channel.post("/STOP now").outcome()
    assert channel.sent[0].content == "Nothing to stop."


@pytest.mark.asyncio
async def test_stop_lets_a_delivery_that_has_begun_end(
    manager: HookManager, seen: list[tuple[str, Any]]
) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    class Slow(InMemoryChannel):
        async def send(self, message: Any) -> None:
            if message.content == "hi":
                began.set()
                await go_on.wait()
            await super().send(message)

    channel = Slow()
    async with Gateway(Agent("clerk", ScriptedModel(["hi"])), channel, manager):
        ticket = channel.post("one")
        await began.wait()
        await channel.post("/stop").outcome()
        go_on.set()
        assert (await ticket.outcome()).status == "replied"
    assert [m.content for m in channel.sent if m.content == "hi"] == ["hi"]


@pytest.mark.asyncio
async def test_a_command_of_the_operators_own_is_answered_without_an_agent(
    manager: HookManager,
) -> None:
    async def version(message: Any) -> str:
        return f"1.0 for {message.sender}"

    channel = InMemoryChannel()
    agent = Agent("clerk", ScriptedModel([]))
    async with Gateway(agent, channel, manager, commands={"version": version}):
        await channel.post("/version", sender="ana").outcome()
    assert channel.sent[0].content == "1.0 for ana"


@pytest.mark.asyncio
async def test_an_unknown_command_is_a_message_for_the_agent(manager: HookManager) -> None:
    channel = InMemoryChannel()
    model = ScriptedModel(["what?"])
    async with Gateway(Agent("clerk", model), channel, manager):
        await channel.post("/etc/passwd").outcome()
    assert model.requests[0].messages[-1].content == "/etc/passwd"


@pytest.mark.asyncio
async def test_a_message_does_not_bring_the_scope_of_who_handed_it_in(
    manager: HookManager, seen: list[tuple[str, Any]]
) -> None:
    heard: list[str] = []

    class Scoped:
        @hookimpl
        def message_received(self, ctx: Any) -> None:
            heard.append(ctx.payload.content)

    channel = InMemoryChannel()
    async with Gateway(Agent("clerk", ScriptedModel(["ok"])), channel, manager):
        with manager.scope(Scoped()):
            await channel.post("one").outcome()
    assert heard == []
    assert "message_received" in [name for name, _ in seen]
