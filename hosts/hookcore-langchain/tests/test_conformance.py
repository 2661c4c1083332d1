"""The conformance kit on LangChain, all of whose agents, tool nodes and models are governed."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing, closing
from typing import Any, ClassVar

import pytest

from hookcore import HookManager
from hookcore.testing.conformance import Conformance, Driver, Job
from hookcore_langchain.host import HOST

pytest.importorskip("langchain", reason="langchain is not installed: see .ci/hosts/langchain.txt")

from langchain import agents
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt


class Model(BaseChatModel):  # type: ignore[misc]
    """A chat model whose answers are the provider's."""

    provider: Any

    @property
    def _llm_type(self) -> str:
        return "provider"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self.bind(tools=[tool.name for tool in tools], **options)

    def _ask(self, messages: Any, options: Any) -> Any:
        results = {m.tool_call_id: m.content for m in messages if m.type == "tool"}
        return self.provider.ask(messages, results, options.get("tools"))

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
    ) -> Any:
        step = self._ask(messages, options)
        calls = [{"name": c.name, "args": c.arguments, "id": c.id} for c in step.calls]
        message = AIMessage(step.text, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
    ) -> Any:
        step = self._ask(messages, options)
        pieces = [{"content": piece} for piece in step.pieces]
        if step.calls:
            pieces = [piece for at, call in enumerate(step.calls) for piece in _pieces(at, call)]
        for piece in pieces:
            chunk = ChatGenerationChunk(message=AIMessageChunk(**{"content": "", **piece}))
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.message.content, chunk=chunk)
            yield chunk


def _pieces(at: int, call: Any) -> list[dict[str, Any]]:
    """Return a tool call as a provider streams it: the name first, the arguments in halves."""
    text = json.dumps(call.arguments)
    told = ({"name": call.name, "id": call.id, "args": ""}, {"args": text[:3]}, {"args": text[3:]})
    whole = {"name": None, "id": None, "index": at}
    return [{"tool_call_chunks": [{**whole, **chunk}]} for chunk in told]


class LangChain(Driver):
    host = HOST
    ways: ClassVar[Any] = {
        "invoke": "sync",
        "stream": "stream",
        "ainvoke": "async",
        "astream": "stream",
        "astream_events": "stream",
    }
    threads = frozenset({"stream"})
    features = frozenset(
        ["call-ids", "defaults", "offers", "parallel", "pause", "pieces", "sub-agent", "system"]
    )

    known: ClassVar[Any] = {
        "astream_events: an output may be changed": "the event of a run's end is told before output",
    }

    def __init__(self, manager: HookManager | None) -> None:
        super().__init__(manager)
        if manager is not None:
            HOST.install(manager)

    def close(self) -> None:
        from hookcore_langchain import uninstall

        uninstall()

    def agent(self, way: str, job: Job, **options: Any) -> Any:
        tools = [_tool(name, function) for name, function in job.tools.items()]
        inner = job.inner
        if inner is not None:

            def delegate(text: str) -> str:
                """Let another agent do it."""
                return str(self.in_thread(way, inner))

            async def adelegate(text: str) -> str:
                return str(await self.run(way, inner))

            tools.append(StructuredTool.from_function(delegate, adelegate))
        prompt = {} if job.system is None else {"system_prompt": job.system}
        return agents.create_agent(Model(provider=job.provider), tools, **prompt, **options)

    async def run(self, way: str, job: Job) -> Any:
        return await self.led(way, self.agent(way, job), {"messages": [("user", job.text)]}, job)

    async def led(self, way: str, agent: Any, given: Any, job: Job, config: Any = None) -> Any:
        if way in {"invoke", "stream"}:
            return await asyncio.to_thread(self.sync, way, agent, given, job, config)
        if way == "ainvoke":
            return _answer(await agent.ainvoke(given, config))
        state: Any = None
        if way == "astream":
            items = agent.astream(given, config, stream_mode=["messages", "updates", "values"])
            async with aclosing(items):
                async for mode, item in items:
                    job.shows(item)
                    state = item if mode == "values" else state
            return _answer(state)
        events = agent.astream_events(given, config, version="v2")
        async with aclosing(events):
            async for event in events:
                job.shows(event)
                state = event["data"].get("output", state)
        return _answer(state)

    def sync(self, way: str, agent: Any, given: Any, job: Job, config: Any = None) -> Any:
        if way == "invoke":
            return _answer(agent.invoke(given, config))
        state: Any = None
        modes = ["messages", "updates", "values"]
        with closing(agent.stream(given, config, stream_mode=modes)) as items:
            for mode, item in items:
                job.shows(item)
                state = item if mode == "values" else state
        return _answer(state)

    def in_thread(self, way: str, job: Job) -> Any:
        given = {"messages": [("user", job.text)]}
        return self.sync(way, self.agent(way, job), given, job)

    async def pause(self, way: str, job: Job) -> Any:
        agent = self.agent(way, job, checkpointer=InMemorySaver())
        config = {"configurable": {"thread_id": "t1"}}
        await self.led(way, agent, {"messages": [("user", job.text)]}, job, config)
        return agent, config

    async def resume(self, way: str, job: Job, token: Any) -> Any:
        agent, config = token
        return await self.led(way, agent, Command(resume="yes"), job, config)


def _tool(name: str, function: Any) -> Any:
    if name == "slow":
        return StructuredTool.from_function(coroutine=function, name=name)
    if name != "pay":
        return StructuredTool.from_function(function, name=name)

    def pay(x: str) -> Any:
        """Pay somebody."""
        interrupt("may I?")
        return function(x)

    return StructuredTool.from_function(pay)


def _answer(state: Any) -> Any:
    return state["messages"][-1].content


class TestConformance(Conformance):
    driver = LangChain
