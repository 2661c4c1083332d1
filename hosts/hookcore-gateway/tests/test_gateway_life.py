"""Start, heartbeat and stop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from itertools import product
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_agent import Agent, ScriptedModel, ToolCall
from hookcore_gateway import (
    Gateway,
    GatewayClosedError,
    GatewayError,
    InMemoryChannel,
    Limits,
    Prompt,
)

pytestmark = pytest.mark.asyncio

Seen = list[tuple[str, Any]]


def clerk(turns: Any = ()) -> Agent:
    return Agent("clerk", ScriptedModel(turns))


def names(seen: Seen) -> list[str]:
    return [name for name, _ in seen]


async def test_start_and_stop_are_told_once_each(manager: HookManager, seen: Seen) -> None:
    gateway = Gateway(clerk(), InMemoryChannel(), manager)
    await gateway.start()
    assert gateway.is_running
    await asyncio.gather(gateway.stop(), gateway.stop())
    await gateway.stop()
    assert not gateway.is_running
    assert names(seen) == ["gateway_start", "gateway_stop"]


async def test_a_gateway_starts_once(manager: HookManager) -> None:
    async with Gateway(clerk(), InMemoryChannel(), manager) as gateway:
        with pytest.raises(GatewayError, match="starts once"):
            await gateway.start()


async def test_a_gateway_that_never_started_stops_without_a_word(
    manager: HookManager, seen: Seen
) -> None:
    await Gateway(clerk(), InMemoryChannel(), manager).stop()
    assert seen == []


async def test_a_message_outside_of_start_and_stop_is_refused(manager: HookManager) -> None:
    channel = InMemoryChannel()
    gateway = Gateway(clerk(), channel, manager)
    with pytest.raises(GatewayClosedError):
        channel.post("early")
    await gateway.start()
    await gateway.stop()
    with pytest.raises(GatewayClosedError):
        channel.post("late")


@pytest.mark.parametrize(
    ("agents", "channels"),
    [([], [InMemoryChannel()]), ([clerk(), clerk()], [InMemoryChannel()]), ([clerk()], [])],
)
async def test_agents_and_channels_have_names_of_their_own(
    manager: HookManager, agents: Any, channels: Any
) -> None:
    with pytest.raises(GatewayError, match="with a name of its own"):
        Gateway(agents, channels, manager)


async def test_a_failing_start_hook_stops_the_gateway_again(
    manager: HookManager, seen: Seen, policy: Any
) -> None:
    def fail(ctx: Any) -> None:
        raise RuntimeError("no database")

    policy("gateway_start", fail, on_error="raise")
    with pytest.raises(RuntimeError, match="no database"):
        await Gateway(clerk(), InMemoryChannel(), manager).start()
    assert names(seen) == ["gateway_start", "gateway_stop"]


async def test_what_was_accepted_is_done_before_the_sessions_end_and_the_gateway_stops(
    manager: HookManager, seen: Seen
) -> None:
    async def slow() -> str:
        await asyncio.sleep(0.005)
        return "done"

    channel = InMemoryChannel()
    gateway = Gateway(clerk([slow] * 30), channel, manager, limits=Limits(workers=3, per_channel=3))
    await gateway.start()
    tickets = [channel.post("hi", sender=f"s{number % 7}") for number in range(30)]
    await gateway.stop()
    assert [(await ticket.outcome()).status for ticket in tickets] == ["replied"] * 30
    order = names(seen)
    last_sent = len(order) - 1 - order[::-1].index("message_sent")
    assert last_sent < order.index("session_end")
    assert order[-8:] == ["session_end"] * 7 + ["gateway_stop"]


async def test_what_is_not_done_in_time_is_told_so(manager: HookManager, seen: Seen) -> None:
    channel = InMemoryChannel()
    limits = Limits(drain=0.05, workers=1)
    gateway = Gateway(clerk([asyncio.Event().wait]), channel, manager, limits=limits)
    await gateway.start()
    tickets = [channel.post("hi", sender=sender) for sender in ("ana", "ben")]
    await asyncio.wait_for(gateway.stop(), 5)
    assert [(await ticket.outcome()).status for ticket in tickets] == ["shutdown", "shutdown"]
    assert sorted(m.recipient for m in channel.sent) == ["ana", "ben"]
    assert names(seen)[-2:] == ["session_end", "gateway_stop"]


async def test_a_stop_hook_that_hangs_has_a_bound(manager: HookManager, policy: Any) -> None:
    async def hang(ctx: Any) -> None:
        await asyncio.sleep(60)

    policy("gateway_stop", hang)
    gateway = Gateway(clerk(), InMemoryChannel(), manager, limits=Limits(gateway_stop=0.05))
    await gateway.start()
    await asyncio.wait_for(gateway.stop(), 5)
    assert not gateway.is_running


@pytest.mark.parametrize(
    ("point", "ends"),
    list(product(["gateway_start", "gateway_stop", "heartbeat_tick"], [True, False])),
)
async def test_a_hook_that_hangs_or_cancels_itself_holds_up_no_start_beat_or_stop(
    manager: HookManager,
    policy: Any,
    point: str,
    ends: bool,  # noqa: FBT001
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def hook(ctx: Any) -> None:
        if ends:
            raise asyncio.CancelledError
        await asyncio.get_running_loop().create_future()

    policy(point, hook)
    channel = InMemoryChannel()
    limits = Limits(gateway_start=0.05, gateway_stop=0.05, heartbeat_tick=0.05)
    gateway = Gateway(
        clerk(lambda request: "hello"), channel, manager, limits=limits, heartbeat=0.01
    )
    async with gateway:
        assert (await channel.post("hi").outcome()).status == "replied"
        while point == "heartbeat_tick" and caplog.text.count(point) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    words = "were cancelled by one of them" if ends else "took longer than"
    assert f"the hooks at {point} {words}" in caplog.text


async def test_a_start_that_is_cancelled_ends_while_a_hook_hangs(
    manager: HookManager, policy: Any, seen: Seen
) -> None:
    async def hook(ctx: Any) -> None:
        await asyncio.get_running_loop().create_future()

    policy("gateway_start", hook)
    gateway = Gateway(clerk(), InMemoryChannel(), manager)
    starting = asyncio.ensure_future(gateway.start())
    await asyncio.sleep(0.01)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert names(seen)[-1] == "gateway_stop"


async def test_a_channel_that_does_not_close_keeps_no_other_open(
    manager: HookManager, seen: Seen, caplog: pytest.LogCaptureFixture
) -> None:
    closed = []

    class Listener(InMemoryChannel):
        async def listen(self) -> tuple[str, int]:
            return "here", 1

        async def close(self) -> None:
            if self.name == "broken":
                raise OSError("no")
            if self.name == "stuck":
                await asyncio.get_running_loop().create_future()
            closed.append(self.name)

    channels = [Listener("broken"), Listener("stuck"), Listener("good")]
    async with Gateway(clerk(), channels, manager, limits=Limits(grace=0.05)):
        pass
    assert closed == ["good"]
    assert names(seen)[-1] == "gateway_stop"
    assert "did not close" in caplog.text
    assert "took too long to close" in caplog.text


async def test_a_slow_stop_hook_with_a_timeout_of_its_own_leaves_time_for_the_next_one(
    manager: HookManager, policy: Any, seen: Seen
) -> None:
    async def hang(ctx: Any) -> None:
        await asyncio.sleep(60)

    policy("gateway_stop", hang, tryfirst=True, timeout=0.05)
    gateway = Gateway(clerk(), InMemoryChannel(), manager)
    await gateway.start()
    await asyncio.wait_for(gateway.stop(), 5)
    assert names(seen)[-1] == "gateway_stop"


async def test_stop_hooks_have_twice_the_time_that_a_plugin_may_take_to_flush() -> None:
    assert Limits().gateway_stop == 10.0


async def test_a_cancelled_stop_goes_on(manager: HookManager, seen: Seen) -> None:
    async def slow() -> str:
        await asyncio.sleep(0.03)
        return "done"

    channel = InMemoryChannel()
    gateway = Gateway(clerk([slow]), channel, manager)
    await gateway.start()
    channel.post("hi")
    stopping = asyncio.ensure_future(gateway.stop())
    await asyncio.sleep(0.01)
    stopping.cancel()
    await gateway.stop()
    assert channel.sent[0].content == "done"
    assert names(seen).count("gateway_stop") == 1


async def test_a_channel_that_fails_leaves_the_others_running(
    manager: HookManager, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(InMemoryChannel):
        async def receive(self, inlet: Any) -> None:
            raise OSError("no network")

    channel = InMemoryChannel()
    async with Gateway(clerk(["hello"]), [Broken("broken"), channel], manager):
        assert (await channel.post("hi").outcome()).status == "replied"
    assert "channel broken has failed" in caplog.text


# Heartbeat


async def test_the_heart_beats_once_in_each_interval(
    manager: HookManager, seen: Seen, until: Any
) -> None:
    async with Gateway(clerk(), InMemoryChannel(), manager, heartbeat=0.02):
        started = asyncio.get_running_loop().time()
        await until(lambda: names(seen).count("heartbeat_tick") >= 3)
        passed = asyncio.get_running_loop().time() - started
    assert passed >= 0.055


async def test_a_failing_tick_hook_does_not_stop_the_heart(
    manager: HookManager, seen: Seen, policy: Any, until: Any
) -> None:
    def fail(ctx: Any) -> None:
        raise RuntimeError("oops")

    policy("heartbeat_tick", fail, on_error="raise")
    async with Gateway(clerk(), InMemoryChannel(), manager, heartbeat=0.01):
        await until(lambda: names(seen).count("heartbeat_tick") >= 2)
    assert names(seen)[-1] == "gateway_stop"


async def test_a_prompt_is_left_out_while_its_last_one_still_runs(manager: HookManager) -> None:
    channel = InMemoryChannel()
    go_on = asyncio.Event()
    model = ScriptedModel([_after(go_on), "two"])
    agent = Agent("clerk", model)
    prompts = [Prompt("anything new?", "memory", "ana")]
    async with Gateway(agent, channel, manager, heartbeat=0.01, prompts=prompts) as gateway:
        await asyncio.sleep(0.05)
        assert gateway.stats["accepted"] == 1
        go_on.set()
        await channel.delivered(2)
    assert [message.recipient for message in channel.sent][:2] == ["ana", "ana"]


def _after(event: asyncio.Event) -> Any:
    async def answer() -> str:
        await event.wait()
        return "one"

    return answer


async def test_a_real_sender_named_heartbeat_neither_shares_its_session_nor_stops_it(
    manager: HookManager, until: Any
) -> None:
    channel = InMemoryChannel()
    go_on = asyncio.Event()
    agent = clerk([_after(go_on), "mine", "later", "later"])
    prompts = [Prompt("anything new?", "memory", "ana", every=1)]
    async with Gateway(agent, channel, manager, heartbeat=0.02, prompts=prompts) as gateway:
        await until(lambda: gateway.sessions)
        stop = await channel.post("/stop", sender="heartbeat").outcome()
        await channel.post("hi", sender="heartbeat").outcome()
        assert len(gateway.sessions) == 2
        go_on.set()
        await channel.delivered(3)
    assert stop.delivered is not None
    assert stop.delivered.content == "Nothing to stop."


async def test_each_prompt_has_a_conversation_of_its_own(manager: HookManager) -> None:
    channel = InMemoryChannel()
    asked: list[set[str]] = []

    def answer(request: Any) -> str:
        asked.append({m.content for m in request.messages if m.role == "user"})
        return f"for {request.messages[-1].content}"

    prompts = [
        Prompt("ana", "memory", "ana"),
        Prompt("ben", "memory", "ben"),
        Prompt("the thread", "memory", "ana", thread="t"),
        Prompt("ana", "memory", "ana"),
    ]
    agent = Agent("clerk", ScriptedModel(answer))
    async with Gateway(agent, channel, manager, heartbeat=0.02, prompts=prompts) as gateway:
        await channel.delivered(8)
        assert len(gateway.sessions) == 4
    assert {len(texts) for texts in asked} == {1}
    told = {(m.recipient, m.thread, m.content) for m in channel.sent}
    assert told == {
        ("ana", None, "for ana"),
        ("ben", None, "for ben"),
        ("ana", "t", "for the thread"),
    }


@pytest.mark.parametrize(
    ("heartbeat", "prompt", "problem"),
    [
        (None, Prompt("x", "memory", "ana"), "give heartbeat= an interval"),
        (0, None, "takes a positive number of seconds"),
        (1, Prompt("x", "mail", "ana"), "'mail' is not one of: memory"),
        (1, Prompt("x", "memory", "ana", agent="chef"), "'chef' is not one of: clerk"),
        (1, Prompt("x", "memory", "ana", every=0), "at least 1"),
    ],
)
async def test_a_heartbeat_that_cannot_work_is_refused(
    manager: HookManager, heartbeat: Any, prompt: Any, problem: str
) -> None:
    prompts = [] if prompt is None else [prompt]
    with pytest.raises(GatewayError, match=problem):
        Gateway(clerk(), InMemoryChannel(), manager, heartbeat=heartbeat, prompts=prompts)


# The process


SIGNALLED = """
import asyncio, os, signal
from hookcore import HookManager, hookimpl
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import Gateway, InMemoryChannel

class Say:
    @hookimpl
    def gateway_start(self, ctx):
        asyncio.get_running_loop().call_later(0.05, os.kill, os.getpid(), signal.SIGTERM)

    @hookimpl
    def gateway_stop(self, ctx):
        print("stopped")

manager = HookManager()
manager.register(Say())
asyncio.run(Gateway(Agent("a", ScriptedModel([])), InMemoryChannel(), manager).serve())
print("ended")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM that a program can handle")
async def test_sigterm_is_a_graceful_stop() -> None:
    command = [sys.executable, "-c", SIGNALLED]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\nended\n", "")


async def test_importing_it_imports_no_server_and_no_pydantic() -> None:
    code = (
        "import hookcore_gateway, sys; "
        "print(sorted({'uvicorn', 'starlette', 'pydantic', 'click'} & set(sys.modules)))"
    )
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


async def test_a_gateway_that_a_tool_stops_ends_within_its_bounds(
    manager: HookManager, seen: Seen
) -> None:
    stops: list[Any] = []

    async def shut_down() -> str:
        """Stop the gateway."""
        await gateway.stop()
        return "never"

    channel = InMemoryChannel()
    agent = Agent("clerk", ScriptedModel([[ToolCall("shut_down", {})], "x"]), [shut_down])
    gateway = Gateway(agent, channel, manager, limits=Limits(drain=0.05))
    await gateway.start()
    stops.append(await asyncio.wait_for(channel.post("stop it").outcome(), 5))
    await asyncio.wait_for(gateway.stop(), 5)
    assert stops[0].status == "shutdown"
    assert names(seen)[-2:] == ["session_end", "gateway_stop"]


async def test_serve_ends_when_it_is_told_to_stop(
    manager: HookManager, seen: Seen, until: Any
) -> None:
    gateway = Gateway(clerk(), InMemoryChannel(), manager)
    serving = asyncio.ensure_future(gateway.serve())
    await until(lambda: gateway.is_running)
    await gateway.stop()
    await asyncio.wait_for(serving, 5)
    assert names(seen) == ["gateway_start", "gateway_stop"]
