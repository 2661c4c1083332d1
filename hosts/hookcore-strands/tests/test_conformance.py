"""The conformance kit on Strands Agents."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import pytest

from hookcore import HookManager
from hookcore.testing.conformance import Conformance, Driver, Job, Provider
from hookcore_strands.host import HOST

pytest.importorskip("strands", reason="strands-agents is not installed: .ci/hosts/strands.txt")

from strands import Agent, tool
from strands.models.model import Model

_TYPES = {"int": int, "str": str}


class Fake(Model):  # type: ignore[misc]
    """A model whose answers are the provider's, in chunks."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def update_config(self, **config: Any) -> None:
        del config

    def get_config(self) -> Any:
        return {"model_id": "fake"}

    async def structured_output(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        del args, options
        yield {"output": None}

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: Any = None, **options: Any
    ) -> AsyncIterator[Any]:
        system = (system_prompt, options.get("system_prompt_content"))
        blocks = [block for message in messages for block in message["content"]]
        results = {
            block["toolResult"]["toolUseId"]: "".join(
                part.get("text", "") for part in block["toolResult"]["content"]
            )
            for block in blocks
            if "toolResult" in block
        }
        offered = [spec["name"] for spec in tool_specs or ()]
        step = self._provider.ask((system, messages), results, offered)
        yield {"messageStart": {"role": "assistant"}}
        for call in step.calls:
            args = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
            start = {"toolUse": {"name": call.name, "toolUseId": call.id}}
            yield {"contentBlockStart": {"start": start}}
            for piece in (args[:3], args[3:]):
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": piece}}}}
            yield {"contentBlockStop": {}}
        if not step.calls:
            yield {"contentBlockStart": {"start": {}}}
            for piece in step.pieces:
                yield {"contentBlockDelta": {"delta": {"text": piece}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if step.calls else "end_turn"}}
        usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


def tool_of(name: str, function: Any) -> Any:
    """Return a function of the kit's as a tool; its annotations are texts, which Strands reads."""
    parameters = [
        each.replace(annotation=_TYPES[str(each.annotation)])
        for each in inspect.signature(function).parameters.values()
    ]

    def called(*args: Any, **options: Any) -> Any:
        return function(*args, **options)

    async def awaited(*args: Any, **options: Any) -> Any:
        return await function(*args, **options)

    made: Any = awaited if inspect.iscoroutinefunction(function) else called
    made.__name__, made.__doc__ = name, name
    made.__signature__ = inspect.Signature(parameters)
    made.__annotations__ = {each.name: each.annotation for each in parameters}
    return tool(name=name, description=name)(made)


class Strands(Driver):
    host = HOST
    ways: ClassVar[Any] = {
        "invoke_async": "async",
        "call": "async",
        "stream_async": "stream",
    }
    threads = frozenset({"call"})
    features = frozenset(
        [
            "async-wraps",
            "call-ids",
            "defaults",
            "offers",
            "parallel",
            "pause",
            "pieces",
            "raw-arguments",
            "sub-agent",
            "system",
        ]
    )

    def __init__(self, manager: HookManager | None) -> None:
        super().__init__(manager)
        if manager is not None:
            HOST.install(manager)

    def close(self) -> None:
        from hookcore_strands import uninstall

        uninstall()

    def agent(self, way: str, job: Job) -> Any:
        tools = [
            _paying(job) if name == "pay" else tool_of(name, job.tools[name]) for name in job.tools
        ]
        inner = job.inner
        if inner is not None:

            @tool  # type: ignore[untyped-decorator]
            async def delegate(text: str) -> str:
                """Let another agent do it."""
                return str(await self.run(way, inner))

            tools.append(delegate)
        model = Fake(job.provider)
        return Agent(model=model, tools=tools, system_prompt=job.system, callback_handler=None)

    async def run(self, way: str, job: Job) -> Any:
        return str(await self.led(way, self.agent(way, job), job.text, job)).rstrip("\n")

    async def led(self, way: str, agent: Any, given: Any, job: Job) -> Any:
        if way == "invoke_async":
            return await agent.invoke_async(given)
        if way == "call":
            return await asyncio.to_thread(agent, given)
        last: Any = None
        events = agent.stream_async(given)
        try:
            async for event in events:
                last = event
                job.shows({name: event[name] for name in event if name in _SHOWN} or sorted(event))
        finally:
            await events.aclose()
        return last["result"]

    async def pause(self, way: str, job: Job) -> Any:
        agent = self.agent(way, job)
        asked = await self.led(way, agent, job.text, job)
        (wanted,) = asked.interrupts
        return agent, [{"interruptResponse": {"interruptId": wanted.id, "response": "yes"}}]

    async def resume(self, way: str, job: Job, token: Any) -> Any:
        agent, answers = token
        return str(await self.led(way, agent, answers, job))


_SHOWN = ("data", "delta", "event", "message", "current_tool_use", "result", "reasoningText")


def _paying(job: Job) -> Any:
    @tool(context=True)  # type: ignore[untyped-decorator]
    def pay(x: str, tool_context: Any) -> str:
        """Pay somebody."""
        tool_context.interrupt("pay", reason=x)
        return str(job.tools["pay"](x))

    return pay


class TestConformance(Conformance):
    driver = Strands
