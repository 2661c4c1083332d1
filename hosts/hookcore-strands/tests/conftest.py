"""Strands offline: a model that follows a script, and the ways to run an agent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hosting.checks import Office

if find_spec("strands"):
    from strands import Agent, tool
    from strands.models.model import Model

    class Script(Model):  # type: ignore[misc]
        """A model's answers one after the other, and the requests that it was sent."""

        def __init__(self, *steps: Any) -> None:
            self.steps, self.sent = list(steps), list[Any]()

        def update_config(self, **config: Any) -> None:
            del config

        def get_config(self) -> Any:
            return {"model_id": "script"}

        async def structured_output(
            self, output_model: Any, prompt: Any, system_prompt: Any = None, **options: Any
        ) -> AsyncIterator[Any]:
            del options
            self.sent.append({"system": system_prompt, "messages": prompt})
            yield {"output": output_model(text=self.steps.pop(0))}

        async def stream(
            self, messages: Any, tool_specs: Any = None, system_prompt: Any = None, **options: Any
        ) -> AsyncIterator[Any]:
            told = {"blocks": options.get("system_prompt_content"), "tools": tool_specs}
            self.sent.append({"system": system_prompt, "messages": messages, **told})
            for chunk in chunks_of(self.steps.pop(0)):
                yield chunk

        def results(self, request: int = -1) -> dict[str, Any]:
            """Return the tools' results in a request, by the calls' ids."""
            blocks = [b for m in self.sent[request]["messages"] for b in m["content"]]
            results = [block["toolResult"] for block in blocks if "toolResult" in block]
            return {result["toolUseId"]: result["content"] for result in results}


def chunks_of(step: Any) -> Iterator[Any]:
    """Yield an answer: a text, or blocks, each as (its start, its deltas)."""
    blocks: Any = step
    if isinstance(step, str):
        blocks = [({}, [{"text": f"{word} "} for word in step.split()])]
    yield {"messageStart": {"role": "assistant"}}
    for start, deltas in blocks:
        yield {"contentBlockStart": {"start": start}}
        for delta in deltas:
            yield {"contentBlockDelta": {"delta": delta}}
        yield {"contentBlockStop": {}}
    calls = any("toolUse" in start for start, _ in blocks)
    yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}
    usage = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}
    yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


@pytest.fixture
def call() -> Callable[..., Any]:
    """Return what makes the block of a tool call."""

    def make(name: str, call_id: str = "c0", /, **args: Any) -> Any:
        start = {"toolUse": {"name": name, "toolUseId": call_id}}
        return start, [{"toolUse": {"input": json.dumps(args)}}]

    return make


@pytest.fixture
def script() -> Callable[..., Any]:
    pytest.importorskip(
        "strands", reason="strands-agents is not installed: see .ci/hosts/strands.txt"
    )
    return Script


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.fixture
def install() -> Iterator[Callable[..., Any]]:
    """Return the adapter's install(), undone afterwards."""
    pytest.importorskip("strands", reason="strands-agents is not installed")
    from hookcore_strands import install, uninstall

    yield install
    uninstall()


@pytest.fixture
def agent(office: Office, install: Any) -> Callable[..., Any]:
    """Return an agent with a script and tools of the office's, governed by a manager."""

    def make(manager: HookManager, model: Any, *own: Any, **options: Any) -> Any:
        install(manager)

        @tool  # type: ignore[untyped-decorator]
        def add(a: int, b: int = 2) -> str:
            """Add two numbers."""
            return office.add(a, b)

        @tool  # type: ignore[untyped-decorator]
        def danger(x: str) -> str:
            """Do something dangerous."""
            return office.danger(x)

        @tool  # type: ignore[untyped-decorator]
        def lookup(key: str) -> str:
            """Look something up."""
            return office.lookup(key)

        tools = [add, danger, lookup, *own]
        return Agent(model=model, tools=tools, callback_handler=None, **options)

    return make


async def by_invoke_async(agent: Any, given: Any) -> Any:
    return await agent.invoke_async(given)


async def by_call(agent: Any, given: Any) -> Any:
    return await asyncio.to_thread(agent, given)


async def by_stream_async(agent: Any, given: Any) -> Any:
    last: Any = None
    async for event in agent.stream_async(given):
        last = event
    return last["result"]


@pytest.fixture(params=[by_invoke_async, by_call, by_stream_async])
def go(request: pytest.FixtureRequest) -> Any:
    """Return a way to run an agent on an input and have the result."""
    return request.param
