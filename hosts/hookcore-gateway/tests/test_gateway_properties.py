"""Whatever senders, hooks and stops do: sessions are balanced, and nothing is lost or left behind."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, hookimpl
from hookcore.testing import run_without_waiting
from hookcore_agent import Agent, ModelRequest, ScriptedModel
from hookcore_gateway import Gateway, InMemoryChannel, Limits

TEXTS = ("hi", "slow", "fail", "hang", "deny", "mute", "deaf", "late", "/new", "/stop", "end")
STATUSES = {"replied", "command", "denied", "error", "timeout", "stopped", "shutdown"}

DEAF = {"deaf", "late"}
GRACE = 0.01

Step = tuple[str, str, bool]


class Watch:
    """Counts sessions and messages, denies what says so, is slow at times and deaf at others."""

    def __init__(self) -> None:
        self.sessions: Counter[tuple[str, str | None]] = Counter()
        self.order: list[str] = []
        self.sent = 0

    @hookimpl
    async def session_start(self, ctx: Any) -> None:
        self.sessions["start", ctx.session_id] += 1
        self.order.append("session_start")
        await asyncio.sleep(0)

    @hookimpl
    async def session_end(self, ctx: Any) -> None:
        self.sessions["end", ctx.session_id] += 1
        self.order.append("session_end")
        await asyncio.sleep(0.001)

    @hookimpl
    def gateway_stop(self, ctx: Any) -> None:
        self.order.append("gateway_stop")

    @hookimpl
    async def message_received(self, ctx: Any) -> None:
        if ctx.payload.content == "deny":
            raise HookAborted("secret", message="no")
        if ctx.payload.content == "deaf":
            await self._swallow()

    @hookimpl
    async def message_sending(self, ctx: Any) -> None:
        if ctx.payload.content == "re: mute":
            raise HookAborted("secret")
        if ctx.payload.content == "re: late":
            await self._swallow()

    async def _swallow(self) -> None:
        """Take no notice of being cancelled, twice, and go on for longer than anybody waits."""
        for _ in range(2):
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
        await asyncio.sleep(2 * GRACE)

    @hookimpl
    def pre_model_call(self, ctx: Any) -> None:
        self.order.append("pre_model_call")

    @hookimpl
    def message_sent(self, ctx: Any) -> None:
        self.order.append("message_sent")
        self.sent += 1


async def answer(request: ModelRequest) -> str:
    roles = [message.role for message in request.messages]
    # A question follows an answer, always.
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    text = str(request.messages[-1].content)
    if text == "slow":
        await asyncio.sleep(0.002)
    if text == "hang":
        await asyncio.sleep(60)
    if text == "fail":
        raise ValueError("secret")
    return f"re: {text}"


async def live(steps: list[Step], idle: float | None) -> tuple[Watch, list[str], list[str]]:
    manager, watch, channel = HookManager(), Watch(), InMemoryChannel()
    manager.register(watch)
    limits = Limits(
        deadline=0.03, send_timeout=0.03, grace=GRACE, drain=0.2, workers=2, idle=idle, sessions=2
    )
    agent = Agent("clerk", ScriptedModel(answer))
    tickets = []
    async with Gateway(agent, channel, manager, limits=limits) as gateway:
        for text, sender, pause in steps:
            if text == "end":
                for session in gateway.sessions[:1]:
                    await gateway.end_session(session)
            else:
                tickets.append(channel.post(text, sender=sender))
            if pause:
                await asyncio.sleep(0.003)
    statuses = [(await ticket.outcome()).status for ticket in tickets]
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left or DEAF & {text for text, _, _ in steps}
    if left:  # what a deaf hook keeps alive ends by itself, and nothing comes of it
        await asyncio.wait(left, timeout=5)
    assert len(channel.sent) == watch.sent
    assert asyncio.all_tasks() == {asyncio.current_task()}
    manager.close()
    return watch, statuses, [message.content for message in channel.sent]


@settings(max_examples=settings().max_examples // 4)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(TEXTS), st.sampled_from("xyz"), st.booleans()), max_size=14
    ),
    idle=st.sampled_from([None, 0.004]),
)
def test_sessions_are_balanced_and_nothing_is_lost_or_left_behind(
    steps: list[Step], idle: float | None
) -> None:
    watch, statuses, sent = run_without_waiting(live(steps, idle))
    assert set(watch.sessions.values()) <= {1}
    started = {session for kind, session in watch.sessions if kind == "start"}
    ended = {session for kind, session in watch.sessions if kind == "end"}
    assert started == ended
    assert watch.order[-1] == "gateway_stop"
    assert watch.order.count("gateway_stop") == 1
    assert set(statuses) <= STATUSES
    assert "error" not in statuses or "fail" in {text for text, _, _ in steps}
    assert "secret" not in " ".join(sent)
