"""LangChain offline: a model that follows a script, and the ways to run an agent."""

from __future__ import annotations

import asyncio
import importlib
import json
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hosting.checks import Office

Step = Any  # a text to answer with, or a list of (tool's name, arguments)

if find_spec("langchain"):
    with warnings.catch_warnings():
        # Older versions warn of themselves while they are imported.
        warnings.simplefilter("ignore")
        for module in ("langgraph.prebuilt", "langchain.agents"):
            importlib.import_module(module)
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
    from langchain_core.tools import StructuredTool

    class Script(BaseChatModel):  # type: ignore[misc]
        """A model's answers one after the other, and the requests that it was sent."""

        steps: list[Any]
        seen: list[Any]
        offered: list[Any]

        @property
        def _llm_type(self) -> str:
            return "script"

        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self.bind(tools=[tool.name for tool in tools], **options)

        def _next(self, messages: Any, options: Any) -> Step:
            self.seen.append(list(messages))
            self.offered.append(options.get("tools"))
            return self.steps.pop(0)

        def _generate(
            self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
        ) -> Any:
            step = self._next(messages, options)
            message = AIMessage(step) if isinstance(step, str) else AIMessage("", tool_calls=step)
            return ChatResult(generations=[ChatGeneration(message=message)])

        def _stream(
            self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
        ) -> Any:
            step = self._next(messages, options)
            if isinstance(step, str):
                words = step.split(" ")
                pieces = [{"content": f" {word}" if at else word} for at, word in enumerate(words)]
            else:
                pieces = [piece for at, call in enumerate(step) for piece in _pieces(at, call)]
            for piece in pieces:
                yield ChatGenerationChunk(message=AIMessageChunk(**{"content": "", **piece}))

        def sent(self) -> str:
            """Return all that the model was sent, as text."""
            return repr(self.seen)

        def results(self, request: int = 1) -> dict[str, Any]:
            """Return the tools' results in a request, by the tools' names."""
            messages = self.seen[request]
            return {message.name: message.content for message in messages if message.type == "tool"}


def _pieces(at: int, call: Any) -> list[dict[str, Any]]:
    """Return a tool call as a provider streams it: the name first, the arguments in halves."""
    text = json.dumps(call["args"])
    told = ({"name": call["name"], "id": call["id"], "args": ""}, {"args": text[:3]})
    chunks = [*told, {"args": text[3:]}]
    whole = {"name": None, "id": None, "index": at}
    return [{"tool_call_chunks": [{**whole, **chunk}]} for chunk in chunks]


def _step(step: Step) -> Step:
    if isinstance(step, str):
        return step
    return [{"name": name, "args": args, "id": f"c{at}"} for at, (name, args) in enumerate(step)]


def make_script(*steps: Step) -> Any:
    return Script(steps=list(map(_step, steps)), seen=[], offered=[])


@pytest.fixture
def script() -> Callable[..., Any]:
    pytest.importorskip(
        "langchain",
        reason="langchain is not installed: see .ci/hosts/langchain.txt",
    )
    return make_script


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.fixture
def tools(script: Any, office: Office) -> list[Any]:
    """Return the office's tools as LangChain has tools."""
    names = ("add", "danger", "lookup", "secret", "fails", "broken")
    made = [StructuredTool.from_function(getattr(office, name), name=name) for name in names]
    return [*made, StructuredTool.from_function(coroutine=office.slow, name="slow")]


@pytest.fixture
def agent(tools: list[Any]) -> Callable[..., Any]:
    """Return an agent with a manager's hooks, a script and tools; the office's when none."""

    def make(manager: HookManager, model: Any, own: Any = None, **options: Any) -> Any:
        from hookcore_langchain import create_agent

        given = tools if own is None else own
        return create_agent(model, given, manager=manager, **options)

    return make


def asked(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


async def by_invoke(agent: Any, text: str) -> Any:
    return await asyncio.to_thread(agent.invoke, asked(text))


async def by_stream(agent: Any, text: str) -> Any:
    def run() -> Any:
        return list(agent.stream(asked(text), stream_mode="values"))[-1]

    return await asyncio.to_thread(run)


async def by_ainvoke(agent: Any, text: str) -> Any:
    return await agent.ainvoke(asked(text))


async def by_astream(agent: Any, text: str) -> Any:
    modes = ["messages", "values"]
    items = [item async for item in agent.astream(asked(text), stream_mode=modes)]
    return [state for mode, state in items if mode == "values"][-1]


async def by_events(agent: Any, text: str) -> Any:
    events = [event async for event in agent.astream_events(asked(text), version="v2")]
    return events[-1]["data"]["output"]


@pytest.fixture(params=[by_invoke, by_stream, by_ainvoke, by_astream, by_events])
def go(request: pytest.FixtureRequest) -> Any:
    """Return a way to run an agent on a text and have its answer."""

    async def run(agent: Any, text: str) -> Any:
        return (await request.param(agent, text))["messages"][-1].content

    run.__name__ = request.param.__name__
    return run
