"""Every way into the gateway meets every hook as often as it must."""

from __future__ import annotations

import asyncio
import functools
import http.client
import io
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hookcore import ChannelMessage, HookAborted, HookManager, hookimpl
from hookcore_agent import Agent, ScriptedModel, ToolCall
from hookcore_gateway import Gateway, HttpChannel, InMemoryChannel, Prompt, TerminalChannel

ALWAYS = {"gateway_start": 1, "gateway_stop": 1}
REPLY = {"message_received": 1, "message_sending": 1, "message_sent": 1}
SESSION = {"session_start": 1, "session_end": 1}
MODEL = ("model_resolve", "prompt_build", "pre_model_call", "model_input", "model_output")
TOOL = ("pre_tool_call", "post_tool_call", "tool_finished")


def work(models: int, tools: int) -> dict[str, int]:
    return {**dict.fromkeys(MODEL, models), **dict.fromkeys(TOOL, tools)}


WHOLE = {**ALWAYS, **SESSION, **REPLY, **work(2, 1)}
EXPECTED: dict[str, dict[str, int]] = {
    "channel": WHOLE,
    "terminal": WHOLE,
    "http": WHOLE,
    "webhook": WHOLE,
    "submit": WHOLE,
    "heartbeat": {**WHOLE, "heartbeat_tick": 1},
    "sub_agent": {**ALWAYS, **SESSION, **REPLY, **work(4, 2)},
    "command": {**ALWAYS, **REPLY},
    "stop_command": {**ALWAYS, **REPLY},
    "error_reply": {**ALWAYS, **SESSION, **REPLY, **work(1, 0), "model_output": 0},
    "timeout_reply": {**ALWAYS, **SESSION, **REPLY, **work(1, 0), "model_output": 0},
    # The refused message, and the text that is sent in the place of an answer.
    "denied_message": {**ALWAYS, **REPLY},
    "denied_model_call": {
        **ALWAYS,
        **SESSION,
        **REPLY,
        **dict.fromkeys(("model_resolve", "prompt_build", "pre_model_call"), 1),
    },
    "denied_tool_call": {**WHOLE, "post_tool_call": 0},
    # The answer, and once more the text in its place.
    "denied_reply": {**WHOLE, "message_sending": 2},
}
HOOKS = sorted({point for cells in EXPECTED.values() for point in cells})
OVER_HTTP = {"http", "webhook"}

Run = Callable[[HookManager], Awaitable[None]]


def lookup(key: str) -> str:
    """Look something up."""
    return key.upper()


def clerk(turns: Any = None, tools: Any = (lookup,)) -> Agent:
    if turns is None:
        turns = [[ToolCall("lookup", {"key": "a"})], "found"]
    return Agent("clerk", ScriptedModel(turns), tools)


async def posted(manager: HookManager, text: str = "hi", agent: Agent | None = None) -> None:
    channel = InMemoryChannel()
    async with Gateway(agent or clerk(), channel, manager):
        await channel.post(text).outcome()


def denying(point: str) -> Run:
    async def run(manager: HookManager) -> None:
        spent: list[Any] = []

        def hook(ctx: Any) -> None:
            if not spent:
                spent.append(ctx)
                raise HookAborted("no")

        marked = hookimpl(specname=point, trylast=True)(hook)
        manager.register(type("Deny", (), {"hook": staticmethod(marked)})(), name="deny")
        await posted(manager)

    return run


async def terminal(manager: HookManager) -> None:
    target = io.StringIO()
    channel = TerminalChannel(source=io.StringIO("hi\n"), target=target)
    await Gateway(clerk(), channel, manager).serve()
    assert target.getvalue() == "found\n"


def over_http(path: str, body: dict[str, str]) -> Run:
    async def run(manager: HookManager) -> None:
        channel = HttpChannel()
        async with Gateway(clerk(), channel, manager):
            assert await asyncio.to_thread(exchange, channel.port) == 200

    def exchange(port: int) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            return connection.getresponse().status
        finally:
            connection.close()

    return run


async def submitted(manager: HookManager) -> None:
    channel = InMemoryChannel()
    message = ChannelMessage(channel="memory", sender="cron", recipient="", content="hi")
    async with Gateway(clerk(), channel, manager) as gateway:
        await gateway.submit(message, path="cron").outcome()


async def beaten(manager: HookManager) -> None:
    channel = InMemoryChannel()
    prompts = [Prompt("anything new?", "memory", "ana")]
    async with Gateway(clerk(), channel, manager, heartbeat=0.5, prompts=prompts):
        [sent] = await channel.delivered(1)
    assert sent.recipient == "ana"


async def by_a_sub_agent(manager: HookManager) -> None:
    outer = clerk([[ToolCall("helper", {"text": "look"})], "done"], [])
    helper = Agent("helper", clerk().model, [lookup])
    await posted(manager, agent=Agent("clerk", outer.model, [helper]))


async def hanging(manager: HookManager) -> None:
    from hookcore_gateway import Limits

    channel = InMemoryChannel()
    agent = clerk([asyncio.Event().wait])
    async with Gateway(agent, channel, manager, limits=Limits(deadline=0.05)):
        assert (await channel.post("hi").outcome()).status == "timeout"


RUNS: dict[str, Run] = {
    "channel": posted,
    "terminal": terminal,
    "http": over_http("/messages", {"content": "hi", "sender": "ana"}),
    "webhook": over_http("/webhook", {"message": "hi"}),
    "submit": submitted,
    "heartbeat": beaten,
    "sub_agent": by_a_sub_agent,
    "command": lambda manager: posted(manager, "/new"),
    "stop_command": lambda manager: posted(manager, "/stop"),
    "error_reply": lambda manager: posted(manager, agent=clerk([ValueError("broken")])),
    "timeout_reply": hanging,
    "denied_message": denying("message_received"),
    "denied_model_call": denying("pre_model_call"),
    "denied_tool_call": denying("pre_tool_call"),
    "denied_reply": denying("message_sending"),
}


@functools.cache
def counted(path: str) -> Counter[str]:
    """Return how often each point fired as one message came this way."""
    count: Counter[str] = Counter()
    manager = HookManager()
    hooks: dict[str, Any] = {}
    for point in HOOKS:

        def hook(ctx: Any, point: str = point) -> None:
            count[point] += 1

        hooks[point] = staticmethod(hookimpl(specname=point, tryfirst=True)(_one(hook)))
    manager.register(type("Counting", (), hooks)(), name="counting")
    asyncio.run(_run(path, manager))
    manager.close()
    return count


def _one(hook: Callable[..., None]) -> Callable[[Any], None]:
    def called(ctx: Any) -> None:
        hook(ctx)

    return called


async def _run(path: str, manager: HookManager) -> None:
    await asyncio.wait_for(RUNS[path](manager), 20)


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("path", EXPECTED)
def test_a_path_fires_a_hook_as_often_as_it_must(path: str, hook: str) -> None:
    if path in OVER_HTTP:
        pytest.importorskip("uvicorn", reason="the extra hookcore-gateway[http] is not installed")
    assert counted(path)[hook] == EXPECTED[path].get(hook, 0)


def test_no_hook_of_the_matrix_is_dead() -> None:
    fired = {hook for cells in EXPECTED.values() for hook, count in cells.items() if count}
    assert fired == set(HOOKS)
    assert len(HOOKS) == 16
