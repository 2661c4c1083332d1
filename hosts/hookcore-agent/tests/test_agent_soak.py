"""Two hundred sessions at once, with streams, tools, denials and cancellations at random."""

from __future__ import annotations

import asyncio
import gc
import random
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, hookimpl
from hookcore.testing import kept_runs
from hookcore_agent import Agent, RequestContext, ScriptedModel, ToolCall
from hookcore_agent.lifecycle import Extension

pytestmark = pytest.mark.asyncio

SESSIONS = 200
STARTS = {
    "execution_start": "run",
    "pre_turn": "turn",
    "pre_model_call": "model",
    "pre_tool_call": "tool",
}


class Ledger:
    """Counts beginnings and ends of each boundary."""

    def __init__(self) -> None:
        self.begun: Counter[Any] = Counter()
        self.ended: Counter[Any] = Counter()
        self.foreign: list[str] = []

    def key(self, kind: str, ctx: Any) -> Any:
        own = {"turn": "index", "model": "iterations", "tool": "call_id"}.get(kind)
        return kind, ctx.run_id, None if own is None else getattr(ctx, own)

    def plugin(self) -> Any:
        hooks: dict[str, Any] = {}
        for point, kind in STARTS.items():

            def begin(ctx: Any, kind: str = kind) -> None:
                self.begun[self.key(kind, ctx)] += 1
                if kind == "tool" and ctx.tool_input["who"] != ctx.session_id:
                    self.foreign.append(ctx.session_id)

            def end(ctx: Any, kind: str = kind) -> None:
                self.ended[self.key(kind, ctx)] += 1

            hooks[point] = _one_argument(begin, point, tryfirst=True)
            hooks[f"{kind}_finished"] = _one_argument(end, f"{kind}_finished")
        return type("Ledger", (), hooks)()


def _one_argument(function: Any, point: str, **options: Any) -> Any:
    def hook(ctx: Any) -> None:
        function(ctx)

    return staticmethod(hookimpl(specname=point, **options)(hook))


class Guard:
    """Denies some calls."""

    @hookimpl(gate=True)
    async def pre_tool_call(self, ctx: Any) -> None:
        await asyncio.sleep(0)
        if ctx.tool_input["n"] % 5 == 0:
            raise HookAborted("a multiple of five")


class Around(Extension):
    """Stands around everything, and keeps what it sees by request."""

    async def before_turn(self, context: Any) -> None:
        await asyncio.sleep(0)

    async def on_model_request(self, context: Any, request: Any, call_next: Any) -> Any:
        async for event in call_next(request):
            yield event

    async def on_tool_call(self, context: Any, call: Any, call_next: Any) -> Any:
        assert call.arguments["who"] == context.session_id
        return await call_next()

    async def after_tool(self, context: Any, call: Any, result: Any, error: Any) -> None:
        await asyncio.sleep(0)


async def work(who: str, n: int) -> str:
    """Work a little, and sometimes fail."""
    for _ in range(n % 4):
        await asyncio.sleep(0)
    if n % 7 == 0:
        raise OSError(f"{who} failed")
    return f"{who} did {n}"


def script(request: Any) -> Any:
    who = request.session_id
    rng = random.Random(f"{who}/{len(request.messages)}")
    if rng.random() < 0.05:
        return ConnectionError(who)
    if rng.random() < 0.6:
        return [
            f"{who} thinks",
            *(ToolCall("work", {"who": who, "n": rng.randrange(30)}) for _ in range(3)),
        ]
    return f"{who} says goodbye"


async def read(stream: AsyncIterator[Any], who: str, leaves_after: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    async for event in stream:
        seen[str(event.type)] += 1
        assert event.session_id == who
        if seen.total() >= leaves_after:
            break
    return seen


async def one_session(agent: Agent, who: str) -> str:
    rng = random.Random(who)
    stream = agent.stream(f"I am {who}", who)
    try:
        if rng.random() < 0.3:
            seen = await read(stream, who, rng.randrange(1, 12))
            await stream.aclose()
            return "done" if seen["run_completed"] else "left"
        task = asyncio.ensure_future(read(stream, who, 10_000))
        if rng.random() < 0.3:
            for _ in range(rng.randrange(1, 60)):
                await asyncio.sleep(0)
            task.cancel()
        await task
    except asyncio.CancelledError:
        return "cancelled"
    except ConnectionError as error:
        return "failed" if str(error) == who else f"the error of {error}"
    return "done"


async def one_round(manager: HookManager, agent: Agent, number: int) -> Counter[str]:
    names = [f"r{number}s{index}" for index in range(SESSIONS)]
    outcomes = Counter(await asyncio.gather(*(one_session(agent, name) for name in names)))
    assert agent.active_sessions == ()
    for name in names:
        for message in agent.session(name).messages:
            content = str(message.content)
            assert not content.startswith("r") or content.startswith(f"{name} ")
        roles = [message.role for message in agent.session(name).messages]
        assert roles.count("tool") == sum(
            len(message.get("tool_calls", ())) for message in agent.session(name).messages
        )
        agent.forget(name)
    return outcomes


def living() -> int:
    gc.collect()
    return len(gc.get_objects())


async def test_many_sessions_do_not_mix_and_leave_nothing_behind(manager: HookManager) -> None:
    ledger = Ledger()
    manager.register(ledger.plugin(), name="ledger")
    manager.register(Guard(), name="guard")
    agent = Agent("a", ScriptedModel(script), [work], [Around()], manager)
    sizes: list[int] = []
    outcomes: Counter[str] = Counter()
    for number in range(3):
        outcomes += await one_round(manager, agent, number)
        assert ledger.begun == ledger.ended
        assert set(ledger.ended.values()) == {1}
        ledger.begun.clear()
        ledger.ended.clear()
        sizes.append(living())
    assert set(outcomes) == {"done", "left", "cancelled", "failed"}
    assert ledger.foreign == []
    assert kept_runs(manager) == 0
    assert not [item for item in gc.get_objects() if type(item) is RequestContext]
    assert abs(sizes[2] - sizes[1]) < 500, sizes
