"""Handlers hear once of the end of a session that was there, and never of another."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest

from hookcore import hookimpl
from hookcore_agent import Agent, ModelRequest, ScriptedModel
from hookcore_gateway import Gateway, InMemoryChannel
from hookcore_gateway.zeroclaw import HookHandler, HookRunner

pytestmark = pytest.mark.asyncio


class Sessions(HookHandler):
    """Notes when sessions begin and end."""

    def __init__(self) -> None:
        self.log: list[tuple[str, str, str]] = []

    def name(self) -> str:
        return "sessions"

    async def on_session_start(self, session_id: str, channel: str) -> None:
        self.log.append(("start", session_id, channel))

    async def on_session_end(self, session_id: str, channel: str) -> None:
        self.log.append(("end", session_id, channel))

    @property
    def ends(self) -> list[tuple[str, str]]:
        return [(session, channel) for word, session, channel in self.log if word == "end"]


def clerk(runner: HookRunner) -> Agent:
    async def answer(request: ModelRequest) -> str:
        return "hello"

    return Agent("clerk", ScriptedModel(answer), hooks=runner.manager)


async def test_a_session_that_is_not_there_cannot_be_ended_and_nobody_hears_of_it(
    runner: HookRunner,
) -> None:
    sessions, channel = Sessions(), InMemoryChannel("chat")
    runner.register(sessions)
    async with Gateway(clerk(runner), channel, runner.manager) as gateway:
        assert await gateway.end_session("missing") is False
    assert sessions.log == []


async def test_a_session_that_is_ended_is_told_once_with_its_channel(runner: HookRunner) -> None:
    sessions, channel = Sessions(), InMemoryChannel("chat")
    runner.register(sessions)
    async with Gateway(clerk(runner), channel, runner.manager) as gateway:
        await channel.post("hi").outcome()
        [session] = gateway.sessions
        assert await gateway.end_session(session) is True
        assert gateway.sessions == ()
        assert sessions.log == [("start", session, "chat"), ("end", session, "chat")]
    assert len(sessions.ends) == 1


@pytest.mark.parametrize("together", [True, False])
async def test_of_two_who_end_a_session_one_did(runner: HookRunner, *, together: bool) -> None:
    sessions, channel = Sessions(), InMemoryChannel("chat")
    runner.register(sessions)
    async with Gateway(clerk(runner), channel, runner.manager) as gateway:
        await channel.post("hi").outcome()
        [session] = gateway.sessions
        endings: list[Any] = [gateway.end_session(session) for _ in range(2)]
        if together:
            ended = await asyncio.gather(*endings)
        else:
            ended = [await ending for ending in endings]
    assert sorted(ended) == [False, True]
    assert len(sessions.ends) == 1


@pytest.mark.parametrize(("on_error", "status"), [("allow", "replied"), ("raise", "error")])
async def test_a_session_at_whose_beginning_a_hook_fails_has_its_end_all_the_same(
    runner: HookRunner, on_error: Literal["allow", "raise"], status: str
) -> None:
    class Failing:
        @hookimpl(on_error=on_error)
        def session_start(self, ctx: Any) -> None:
            raise RuntimeError("boom")

    sessions, channel = Sessions(), InMemoryChannel("chat")
    runner.manager.register(Failing())
    runner.register(sessions)
    async with Gateway(clerk(runner), channel, runner.manager):
        outcomes = [(await channel.post("hi").outcome()).status for _ in range(2)]
    assert outcomes == [status, "replied"]
    assert [word for word, *_ in sessions.log] == ["start", "end"]
