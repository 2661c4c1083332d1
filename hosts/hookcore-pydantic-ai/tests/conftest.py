"""pydantic-ai offline: a model that follows a script, and the ways to run an agent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hosting.checks import Office

if find_spec("pydantic_ai"):
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import DeltaToolCall, FunctionModel

Step = Any  # a text to answer with, or a list of (tool's name, arguments)


class Script:
    """A model's answers one after the other, and the requests that it was sent."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.seen: list[Any] = []
        self.infos: list[Any] = []
        self.model = FunctionModel(self._whole, stream_function=self._pieces)

    def _next(self, messages: list[Any], info: Any) -> Step:
        self.seen.append(list(messages))
        self.infos.append(info)
        return self.steps.pop(0)

    def _whole(self, messages: list[Any], info: Any) -> Any:
        step = self._next(messages, info)
        if isinstance(step, str):
            return ModelResponse(parts=[TextPart(step)])
        calls = enumerate(step)
        return ModelResponse(
            parts=[ToolCallPart(name, args, tool_call_id=f"c{at}") for at, (name, args) in calls]
        )

    async def _pieces(self, messages: list[Any], info: Any) -> AsyncIterator[Any]:
        step = self._next(messages, info)
        if isinstance(step, str):
            for at, word in enumerate(step.split(" ")):
                yield f" {word}" if at else word
            return
        for at, (name, args) in enumerate(step):
            text = json.dumps(args)
            yield {at: DeltaToolCall(name=name, tool_call_id=f"c{at}")}
            yield {at: DeltaToolCall(json_args=text[:3])}
            yield {at: DeltaToolCall(json_args=text[3:])}

    def sent(self) -> str:
        """Return all that the model was sent, as text."""
        return repr(self.seen) + repr([info.instructions for info in self.infos])

    def results(self, request: int = 1) -> dict[str, Any]:
        """Return the tools' results in a request, by the tools' names."""
        parts = [part for message in self.seen[request] for part in message.parts]
        return {part.tool_name: part.content for part in parts if part.part_kind == "tool-return"}


@pytest.fixture
def script() -> Callable[..., Script]:
    pytest.importorskip(
        "pydantic_ai",
        reason="pydantic-ai is not installed: see .ci/hosts/pydantic-ai.txt",
    )
    return Script


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.fixture
def agent(office: Office) -> Callable[..., Any]:
    """Return an agent with a manager's hooks, a script and the office's tools."""

    def make(manager: HookManager, script: Script, **options: Any) -> Any:
        from pydantic_ai import Agent

        from hookcore_pydantic_ai import Hookcore

        made: Any = Agent(script.model, capabilities=[Hookcore(manager)], **options)
        for name in ("add", "danger", "lookup", "secret", "fails", "broken", "slow"):
            made.tool_plain(getattr(office, name), name=name)
        return made

    return make


async def by_run(agent: Any, text: str) -> Any:
    return (await agent.run(text)).output


async def by_run_sync(agent: Any, text: str) -> Any:
    def run() -> Any:
        # run_sync leaves the loop open that it makes where there is none.
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            return agent.run_sync(text).output
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    return await asyncio.to_thread(run)


async def by_run_stream(agent: Any, text: str) -> Any:
    async with agent.run_stream(text) as result:
        return await result.get_output()


async def by_events(agent: Any, text: str) -> Any:
    async with agent.run_stream_events(text) as events:
        last = [event async for event in events][-1]
    return last.result.output


async def by_iter(agent: Any, text: str) -> Any:
    async with agent.iter(text) as run:
        async for _ in run:
            pass
    return run.result.output


@pytest.fixture(params=[by_run, by_run_sync, by_run_stream, by_events, by_iter])
def go(request: pytest.FixtureRequest) -> Any:
    """Return a way to run an agent on a text and have its output."""
    return request.param
