"""The conformance kit on CrewAI: crews, sync and async."""

from __future__ import annotations

import asyncio
import functools
import json
from typing import Any, ClassVar

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

from hookcore import HookManager
from hookcore.hosting import denials_outside
from hookcore.testing.conformance import Conformance, Driver, Job
from hookcore_crewai import install, uninstall
from hookcore_crewai.host import HOST


class Model(BaseLLM):
    """A model whose answers are the provider's."""

    provider: Any = None

    def call(self, messages: Any, tools: Any = None, *args: Any, **options: Any) -> Any:
        results = {m["tool_call_id"]: m["content"] for m in messages if m.get("role") == "tool"}
        step = self.provider.ask(messages, results)
        if not step.calls:
            return step.text
        return [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for call in step.calls
        ]

    async def acall(self, messages: Any, *args: Any, **options: Any) -> Any:
        return self.call(messages, *args, **options)

    def supports_function_calling(self) -> bool:
        return True


def tool_of(name: str, function: Any) -> Any:
    @functools.wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        return function(*args, **options)

    made = tool(name)(called)
    made.cache_function = lambda *_: False
    return made


_NO_CALLS = "CrewAI's hooks see and give texts for responses; tools' calls are judged by themselves"


class CrewAi(Driver):
    host = HOST
    ways: ClassVar[Any] = {"kickoff": "sync", "akickoff": "async"}
    threads = frozenset({"akickoff"})
    features = frozenset({"system"})
    known: ClassVar[Any] = {
        "tools of a denied response never start": _NO_CALLS,
        "a replaced response may call tools": _NO_CALLS,
        "a denied result is read by nobody": "in CrewAI an abort after a tool stops the crew",
    }

    def __init__(self, manager: HookManager | None) -> None:
        super().__init__(manager)
        if manager is None:
            uninstall()
        else:
            install(manager)

    def close(self) -> None:
        uninstall()

    async def run(self, way: str, job: Job) -> Any:
        tools = [tool_of(name, f) for name, f in job.tools.items() if name != "slow"]
        agent = Agent(
            role="worker",
            goal="g",
            backstory=job.system or "b",
            llm=Model(model="fake", provider=job.provider),
            tools=tools,
            max_retry_limit=0,
        )
        task = Task(description=job.text, expected_output="e", agent=agent)
        crew = Crew(agents=[agent], tasks=[task])
        # CrewAI's own error tells the program the reason; what the program lets out has the message.
        with denials_outside():
            if way == "kickoff":
                return (await asyncio.to_thread(crew.kickoff)).raw
            return (await crew.akickoff()).raw


class TestConformance(Conformance):
    driver = CrewAi
