"""Sessions begin once and end once, with a reason, before the gateway stops."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from hookcore import HookManager, SessionContext
from hookcore_agent import Agent, ModelRequest, ScriptedModel
from hookcore_gateway import Gateway, InMemoryChannel, Limits

pytestmark = pytest.mark.asyncio

Seen = list[tuple[str, Any]]


def echo(request: ModelRequest) -> str:
    return f"{len(request.messages)} so far"


def clerk() -> Agent:
    return Agent("clerk", ScriptedModel(echo))


def ends(seen: Seen) -> list[tuple[str, str]]:
    """Return the channel and reason of each session that ended."""
    return [(ctx.channel, ctx.reason) for name, ctx in seen if name == "session_end"]


def balance(seen: Seen) -> Counter[tuple[str, str | None]]:
    return Counter((name, ctx.session_id) for name, ctx in seen if isinstance(ctx, SessionContext))


async def test_a_sender_keeps_a_session_and_others_have_their_own(
    manager: HookManager, seen: Seen
) -> None:
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager) as gateway:
        for sender in ("ana", "ana", "ben"):
            await channel.post("hi", sender=sender).outcome()
        assert len(gateway.sessions) == 2
    assert [message.content for message in channel.sent] == ["1 so far", "3 so far", "1 so far"]
    assert set(balance(seen).values()) == {1}
    assert ends(seen) == [("memory", "shutdown")] * 2


async def test_threads_of_one_sender_are_sessions_of_their_own(manager: HookManager) -> None:
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager) as gateway:
        await channel.post("hi", thread="a").outcome()
        await channel.post("hi", thread="b").outcome()
        assert len(gateway.sessions) == 2
    assert [message.thread for message in channel.sent] == ["a", "b"]


async def test_a_refused_message_begins_no_session(
    manager: HookManager, seen: Seen, deny: Any
) -> None:
    deny("message_received")
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager):
        await channel.post("hi").outcome()
    assert not balance(seen)


async def test_new_ends_the_session_and_the_next_message_begins_another(
    manager: HookManager, seen: Seen
) -> None:
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager):
        for text in ("one", "/new", "two"):
            await channel.post(text).outcome()
    assert [message.content for message in channel.sent][::2] == ["1 so far", "1 so far"]
    assert ends(seen) == [("memory", "new"), ("memory", "shutdown")]
    assert set(balance(seen).values()) == {1}


async def test_a_session_ends_when_it_was_idle_for_long(
    manager: HookManager, seen: Seen, until: Any
) -> None:
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager, limits=Limits(idle=0.05)) as gateway:
        await channel.post("hi").outcome()
        await until(lambda: not gateway.sessions)
    assert ends(seen) == [("memory", "idle")]


async def test_the_longest_idle_session_makes_room(manager: HookManager, seen: Seen) -> None:
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager, limits=Limits(sessions=2)) as gateway:
        for sender in ("ana", "ben", "ana", "eve"):
            await channel.post("hi", sender=sender).outcome()
        assert len(gateway.sessions) == 2
    starts = [ctx.session_id for name, ctx in seen if name == "session_start"]
    evicted = [
        ctx.session_id for name, ctx in seen if name == "session_end" and ctx.reason == "evicted"
    ]
    assert evicted == [starts[1]]


async def test_an_operator_ends_a_session_with_a_reason_and_only_once(
    manager: HookManager, seen: Seen
) -> None:
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager) as gateway:
        await channel.post("hi").outcome()
        [session] = gateway.sessions
        ended = [await gateway.end_session(session, "abuse") for _ in range(2)]
    assert ended == [True, False]
    assert ends(seen) == [("memory", "abuse")]


async def test_ending_a_session_waits_for_its_message_in_progress(
    manager: HookManager, seen: Seen
) -> None:
    going, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        going.set()
        await go_on.wait()
        return "done"

    channel = InMemoryChannel()
    agent = Agent("clerk", ScriptedModel([slow]))
    async with Gateway(agent, channel, manager) as gateway:
        ticket = channel.post("hi")
        await going.wait()
        ending = asyncio.ensure_future(gateway.end_session(gateway.sessions[0]))
        await asyncio.sleep(0.01)
        assert ends(seen) == []
        go_on.set()
        assert (await ticket.outcome()).status == "replied"
        assert await ending
    names = [name for name, _ in seen]
    assert names.index("message_sent") < names.index("session_end")


async def test_a_failing_hook_at_the_end_keeps_no_other_session_from_ending(
    manager: HookManager, seen: Seen, policy: Any
) -> None:
    def fail(ctx: Any) -> None:
        raise RuntimeError("oops")

    policy("session_end", fail, on_error="raise")
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager):
        for sender in ("ana", "ben"):
            await channel.post("hi", sender=sender).outcome()
    assert len(ends(seen)) == 2
    assert seen[-1][0] == "gateway_stop"


async def test_slow_hooks_at_the_end_of_sessions_have_a_bound(
    manager: HookManager, seen: Seen, policy: Any
) -> None:
    async def hang(ctx: Any) -> None:
        await asyncio.sleep(60)

    policy("session_end", hang)
    channel = InMemoryChannel()
    gateway = Gateway(clerk(), channel, manager, limits=Limits(session_end=0.05))
    await gateway.start()
    await channel.post("hi").outcome()
    await asyncio.wait_for(gateway.stop(), 5)
    assert seen[-1][0] == "gateway_stop"


async def test_a_hook_that_hangs_as_one_session_ends_keeps_no_other_from_ending(
    manager: HookManager, seen: Seen, policy: Any, until: Any
) -> None:
    hung: list[Any] = []

    async def hang(ctx: Any) -> None:
        if not hung:
            hung.append(ctx)
            await asyncio.Event().wait()

    policy("session_end", hang)
    channel = InMemoryChannel()
    limits = Limits(idle=0.02, session_end=600.0)
    gateway = Gateway(clerk(), channel, manager, limits=limits)
    await gateway.start()
    for sender in ("ana", "ben", "eve"):
        await channel.post("hi", sender=sender).outcome()
    await until(lambda: len(ends(seen)) == 3)
    assert gateway.sessions == ()
    stopping = asyncio.ensure_future(gateway.stop())
    stopping.cancel()


async def test_the_hooks_at_the_end_of_a_session_have_a_bound_while_the_gateway_runs(
    manager: HookManager, policy: Any
) -> None:
    async def hang(ctx: Any) -> None:
        await asyncio.Event().wait()

    policy("session_end", hang)
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager, limits=Limits(session_end=0.02)):
        await channel.post("hi").outcome()
        outcome = await asyncio.wait_for(channel.post("/new").outcome(), 5)
    assert outcome.status == "command"


async def test_one_session_has_one_message_at_a_time_though_hooks_merge_its_senders(
    manager: HookManager, policy: Any
) -> None:
    running: list[int] = []
    most: list[int] = []

    async def slow() -> str:
        running.append(1)
        most.append(len(running))
        await asyncio.sleep(0.01)
        running.pop()
        return "done"

    def merge(ctx: Any) -> None:
        ctx.payload.sender = "team"

    policy("message_received", merge)
    channel = InMemoryChannel()
    agent = Agent("clerk", ScriptedModel([slow, slow]))
    async with Gateway(agent, channel, manager) as gateway:
        tickets = [channel.post("hi", sender=sender) for sender in ("ana", "ben")]
        outcomes = [(await ticket.outcome()).status for ticket in tickets]
        assert len(gateway.sessions) == 1
    assert outcomes == ["replied", "replied"]
    assert most == [1, 1]


async def test_a_message_that_waited_for_a_session_which_ended_begins_another(
    manager: HookManager, seen: Seen, policy: Any
) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        began.set()
        await go_on.wait()
        return "done"

    def merge(ctx: Any) -> None:
        ctx.payload.sender = "team"

    policy("message_received", merge)
    channel = InMemoryChannel()
    agent = Agent("clerk", ScriptedModel([slow, "again"]))
    async with Gateway(agent, channel, manager) as gateway:
        first = channel.post("hi", sender="ana")
        await began.wait()
        ending = asyncio.ensure_future(gateway.end_session(gateway.sessions[0]))
        await asyncio.sleep(0)
        second = channel.post("hi", sender="ben")
        await asyncio.sleep(0.01)
        go_on.set()
        await first.outcome()
        assert await ending
        assert (await second.outcome()).status == "replied"
    assert [reason for _, reason in ends(seen)] == ["closed", "shutdown"]
    assert set(balance(seen).values()) == {1}
