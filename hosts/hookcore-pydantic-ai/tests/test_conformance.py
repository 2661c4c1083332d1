"""The conformance kit on pydantic-ai, all of whose agents are governed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import pytest

from hookcore import HookManager
from hookcore.testing.conformance import Conformance, Driver, Job, Provider
from hookcore_pydantic_ai.host import HOST

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed: .ci/hosts/pydantic-ai.txt")

from pydantic_ai import (
    Agent,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
)
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


def model_of(provider: Provider) -> Any:
    def ask(messages: list[Any], info: Any) -> Any:
        parts = [part for message in messages for part in message.parts]
        results = {part.tool_call_id: part.content for part in parts if _is_result(part)}
        offered = [tool.name for tool in info.function_tools]
        return provider.ask((messages, info.instructions), results, offered)

    def whole(messages: list[Any], info: Any) -> Any:
        step = ask(messages, info)
        calls = [ToolCallPart(c.name, c.arguments, tool_call_id=c.id) for c in step.calls]
        return ModelResponse(parts=calls or [TextPart(step.text)])

    async def pieces(messages: list[Any], info: Any) -> AsyncIterator[Any]:
        step = ask(messages, info)
        for at, call in enumerate(step.calls):
            args = call.arguments
            text = args if isinstance(args, str) else json.dumps(args)
            yield {at: DeltaToolCall(name=call.name, tool_call_id=call.id)}
            yield {at: DeltaToolCall(json_args=text[:3])}
            yield {at: DeltaToolCall(json_args=text[3:])}
        for piece in step.pieces if not step.calls else ():
            yield piece

    return FunctionModel(whole, stream_function=pieces)


def _is_result(part: Any) -> bool:
    return part.part_kind in {"tool-return", "retry-prompt"} and bool(part.tool_name)


class PydanticAi(Driver):
    host = HOST
    ways: ClassVar[Any] = {
        "run": "async",
        "run_sync": "async",
        "run_stream": "stream",
        "run_stream_events": "stream",
        "iter": "async",
    }
    threads = frozenset({"run_sync"})
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
            "whole-answers",
        ]
    )

    def __init__(self, manager: HookManager | None) -> None:
        super().__init__(manager)
        if manager is not None:
            HOST.install(manager)

    def close(self) -> None:
        from hookcore_pydantic_ai import uninstall

        uninstall()

    def agent(self, way: str, job: Job) -> Any:
        options = {} if job.system is None else {"system_prompt": job.system}
        made: Any = Agent(model_of(job.provider), **options)
        for name, function in job.tools.items():
            if name != "pay":
                made.tool_plain(function, name=name)
        inner = job.inner
        if inner is not None:

            async def delegate(text: str) -> str:
                return str(await self.run(way, inner))

            made.tool_plain(delegate)
        return made

    async def run(self, way: str, job: Job) -> Any:
        agent = self.agent(way, job)
        return await getattr(self, f"by_{way}")(agent, job)

    async def by_run(self, agent: Any, job: Job) -> Any:
        return (await agent.run(job.text)).output

    async def by_run_sync(self, agent: Any, job: Job) -> Any:
        def run() -> Any:
            # run_sync leaves the loop open that it makes where there is none.
            loop = asyncio.new_event_loop()
            asyncio.set_event_loop(loop)
            try:
                return agent.run_sync(job.text).output
            finally:
                asyncio.set_event_loop(None)
                loop.close()

        return await asyncio.to_thread(run)

    async def by_run_stream(self, agent: Any, job: Job) -> Any:
        async with agent.run_stream(job.text) as result:
            async for text in result.stream_text(debounce_by=None):
                job.shows(text)
            return await result.get_output()

    async def by_run_stream_events(self, agent: Any, job: Job) -> Any:
        last: Any = None
        async with agent.run_stream_events(job.text) as events:
            async for event in events:
                last = event
                job.shows(event)
        return last.result.output

    async def by_iter(self, agent: Any, job: Job) -> Any:
        async with agent.iter(job.text) as run:
            async for _ in run:
                pass
        return run.result.output

    async def pause(self, way: str, job: Job) -> Any:
        agent: Any = Agent(model_of(job.provider), output_type=[str, DeferredToolRequests])

        def pay(ctx: RunContext[Any], x: str) -> Any:
            if not ctx.tool_call_approved:
                raise ApprovalRequired
            return job.tools["pay"](x)

        agent.tool(pay)
        asked = await agent.run(job.text)
        assert isinstance(asked.output, DeferredToolRequests)
        return agent, asked.all_messages()

    async def resume(self, way: str, job: Job, token: Any) -> Any:
        agent, history = token
        results = DeferredToolResults(approvals={"c0": True})
        return (await agent.run(message_history=history, deferred_tool_results=results)).output


class TestConformance(Conformance):
    driver = PydanticAi
