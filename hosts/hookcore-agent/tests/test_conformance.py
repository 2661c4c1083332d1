"""The conformance kit on the reference agent."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any, ClassVar

from hookcore import HookManager
from hookcore.hosting import denials_outside
from hookcore.testing.conformance import Conformance, Driver, Job, Provider
from hookcore_agent import Agent, EventType, ModelRequest, ScriptedModel, Tool
from hookcore_agent.host import HOST


def model_of(provider: Provider) -> ScriptedModel:
    def ask(request: ModelRequest) -> Any:
        answers = [message for message in request.messages if message["role"] == "tool"]
        results = {answer["tool_call_id"]: answer["content"] for answer in answers}
        offered = [tool.name for tool in request.tools]
        step = provider.ask(request.messages, results, offered)
        return list(step.calls) or step.text

    return ScriptedModel(ask)


def agent_of(job: Job, name: str = "main", **options: Any) -> Agent:
    tools = [Tool(function, name=name) for name, function in job.tools.items()]
    if job.inner is not None:
        tools.append(agent_of(job.inner, "inner").as_tool("delegate"))
    return Agent(name, model_of(job.provider), tools, instructions=job.system or "", **options)


class ReferenceAgent(Driver):
    host = HOST
    ways: ClassVar[Any] = {"run": "async", "stream": "stream"}
    features = frozenset(
        [
            "async-wraps",
            "call-ids",
            "defaults",
            "offers",
            "parallel",
            "pieces",
            "raw-arguments",
            "sub-agent",
            "system",
        ]
    )

    async def run(self, way: str, job: Job) -> Any:
        agent = agent_of(job, hooks=self.manager or HookManager())
        # The program that embeds an agent is told the reason; what it lets out has the message.
        with denials_outside():
            return await self.led(way, agent, job)

    async def led(self, way: str, agent: Agent, job: Job) -> Any:
        if way == "run":
            return (await agent.run(job.text)).output
        result: Any = None
        async with aclosing(agent.stream(job.text)) as events:
            async for event in events:
                if event.type == EventType.RUN_COMPLETED:
                    result = event.payload.output
                job.shows(event)
        return result


class TestConformance(Conformance):
    driver = ReferenceAgent
