"""Work that a hook keeps alive though it was cancelled: it holds nobody up, and begins nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from hookcore import HookManager, SessionContext
from hookcore_agent import Agent, ScriptedModel, ToolCall
from hookcore_gateway import Gateway, GatewayClosedError, InMemoryChannel, Limits
from hookcore_gateway.keepers import keeper_of
from hookcore_gateway.sessions import Sessions
from hookcore_gateway.visits import Visit

pytestmark = pytest.mark.asyncio

Seen = list[tuple[str, Any]]

SHORT = Limits(deadline=0.3, send_timeout=0.3, drain=0.3, grace=0.02)


class Stubborn:
    """Hangs the first time it is called, and swallows cancellations until it is let go."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.let_go = asyncio.Event()

    async def __call__(self, *_given: object) -> None:
        if self.began.is_set():
            return
        self.began.set()
        while not self.let_go.is_set():
            with suppress(asyncio.CancelledError):
                await self.let_go.wait()

    async def ended(self) -> None:
        """Let it go, and wait until everything that still runs has ended."""
        self.let_go.set()
        while left := asyncio.all_tasks() - {asyncio.current_task()}:
            done, _ = await asyncio.wait(left, timeout=5)
            assert done


def hook_of(stubborn: Stubborn) -> Any:
    async def hook(ctx: Any) -> None:
        await stubborn()

    return hook


def sessions_told(seen: Seen) -> Counter[tuple[str, str | None]]:
    return Counter((name, ctx.session_id) for name, ctx in seen if isinstance(ctx, SessionContext))


def balanced(seen: Seen) -> bool:
    """Return whether each session that began ended, each once."""
    told = sessions_told(seen)
    started = {session for name, session in told if name == "session_start"}
    ended = {session for name, session in told if name == "session_end"}
    return started == ended and set(told.values()) <= {1}


@pytest.mark.parametrize("point", ["message_received", "session_start", "message_sending"])
async def test_the_next_message_is_served_while_a_hook_ignores_that_it_was_cancelled(
    manager: HookManager, policy: Any, seen: Seen, point: str
) -> None:
    stubborn = Stubborn()
    policy(point, hook_of(stubborn))
    channel = InMemoryChannel()
    agent = Agent("clerk", ScriptedModel(lambda request: "hello"))
    async with Gateway(agent, channel, manager, limits=SHORT):
        first = channel.post("one")
        await first.outcome()
        second = await asyncio.wait_for(channel.post("two").outcome(), 5)
    await stubborn.ended()
    assert second.status == "replied"
    assert balanced(seen)
    assert seen[-1][0] == "gateway_stop"


async def test_a_session_in_which_work_goes_on_ends_and_the_next_message_begins_another(
    manager: HookManager, seen: Seen
) -> None:
    stubborn = Stubborn()

    async def dig() -> str:
        """Dig."""
        await stubborn()
        return "found"

    channel = InMemoryChannel()
    model = ScriptedModel([[ToolCall("dig", {})], "two", "late"])
    async with Gateway(Agent("clerk", model, [dig]), channel, manager, limits=SHORT):
        assert (await channel.post("one").outcome()).status == "timeout"
        assert (await channel.post("two").outcome()).status == "replied"
        assert [message.content for message in model.requests[-1].messages] == ["two"]
    reasons = [ctx.reason for name, ctx in seen if name == "session_end"]
    assert reasons == ["abandoned", "shutdown"]
    assert balanced(seen)
    await stubborn.ended()


@pytest.mark.parametrize("point", ["message_received", "session_start", "message_sending"])
async def test_nothing_begins_after_the_gateway_has_stopped(
    manager: HookManager, policy: Any, seen: Seen, point: str
) -> None:
    stubborn = Stubborn()
    policy(point, hook_of(stubborn), tryfirst=True)
    channel = InMemoryChannel()
    limits = Limits(send_timeout=0.05, drain=0.05, grace=0.01)
    gateway = Gateway(Agent("clerk", ScriptedModel(["hello"])), channel, manager, limits=limits)
    await gateway.start()
    channel.post("one")
    await stubborn.began.wait()
    await gateway.stop()
    at_the_stop, sent = [name for name, _ in seen], list(channel.sent)
    assert at_the_stop[-1] == "gateway_stop"
    await stubborn.ended()
    # The hooks behind the one that hung are told of the point at which it did.
    after = [name for name, _ in seen][len(at_the_stop) :]
    assert (set(after) <= {point}, channel.sent) == (True, sent)


async def test_a_message_whose_hook_swallowed_its_cancellation_goes_no_further(
    manager: HookManager, policy: Any
) -> None:
    async def swallow(ctx: Any) -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    policy("message_received", swallow)
    channel = InMemoryChannel()
    model = ScriptedModel(["hello"])
    limits = Limits(deadline=0.05)
    async with Gateway(Agent("clerk", model), channel, manager, limits=limits) as gateway:
        outcome = await channel.post("one").outcome()
        assert gateway.sessions == ()
    assert (outcome.status, model.requests) == ("timeout", [])


async def test_a_reply_whose_hook_swallowed_its_cancellation_is_not_sent_late(
    manager: HookManager, policy: Any, seen: Seen
) -> None:
    stubborn = Stubborn()
    policy("message_sending", hook_of(stubborn))
    channel = InMemoryChannel()
    agent = Agent("clerk", ScriptedModel(["hello"]))
    async with Gateway(agent, channel, manager, limits=SHORT):
        outcome = await channel.post("one").outcome()
        told = [message.content for message in channel.sent]
        stubborn.let_go.set()
    await stubborn.ended()
    assert outcome.delivered is not None
    assert [message.content for message in channel.sent] == told == [outcome.delivered.content]
    assert [name for name, _ in seen].count("message_sent") == 1


async def test_a_delivery_that_nobody_waited_for_any_more_is_not_told(
    manager: HookManager, seen: Seen
) -> None:
    stubborn = Stubborn()

    class Slow(InMemoryChannel):
        async def send(self, message: Any) -> None:
            await stubborn()

    channel = Slow()
    agent = Agent("clerk", ScriptedModel(["hello"]))
    async with Gateway(agent, channel, manager, limits=SHORT):
        outcome = await channel.post("one").outcome()
    await stubborn.ended()
    assert outcome.delivered is None
    assert "message_sent" not in [name for name, _ in seen]


async def test_no_session_begins_when_all_have_ended(manager: HookManager, seen: Seen) -> None:
    sessions = Sessions(manager, Limits(), keeper_of("memory", None))
    await sessions.end_all("shutdown")
    visit = Visit(sessions, (None, "memory", "ana", None, "clerk"), "memory", None, lambda: None)
    with pytest.raises(GatewayClosedError, match="has ended its sessions"):
        await visit.enter()
    assert seen == []
