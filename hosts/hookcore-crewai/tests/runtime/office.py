"""A fake model and what is built on it; imported after CrewAI is known to be there."""

from __future__ import annotations

import json
from typing import Any

from crewai import Agent, BaseLLM, Crew, Task
from crewai.hooks import InterceptionPoint, before_llm_call, before_tool_call, on
from crewai.project import CrewBase, agent, crew, task
from crewai.tools import BaseTool
from pydantic import Field

FINAL = "Thought: I know\nFinal Answer: done"


def react(tool: str, **arguments: Any) -> str:
    """Return what a model without native tool calls writes to call a tool."""
    return f"Thought: I need it\nAction: {tool}\nAction Input: {json.dumps(arguments)}"


def native(tool: str, **arguments: Any) -> list[Any]:
    """Return what a model with native tool calls answers to call a tool."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return [{"id": "call_1", "type": "function", "function": function}]


class FakeLLM(BaseLLM):
    """Answers what it is told to, one after the other, then that it is done."""

    answers: list[Any] = Field(default_factory=list)
    seen: list[Any] = Field(default_factory=list)
    calls_tools: bool = False
    direct: bool = False

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        if self.direct:
            self._invoke_before_llm_call_hooks(messages, kwargs.get("from_agent"))
        self.seen.append([dict(message) for message in messages])
        return self.answers.pop(0) if self.answers else FINAL

    async def acall(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        return self.call(messages, *args, **kwargs)

    def supports_function_calling(self) -> bool:
        return self.calls_tools

    def texts(self) -> str:
        """Return all that the model was sent, as one text."""
        return json.dumps(self.seen, default=str)


class DeleteFile(BaseTool):
    """A tool that remembers what it was called with."""

    name: str = "delete_file"
    description: str = "Delete a file."
    ran: list[str] = Field(default_factory=list)

    def _run(self, path: str = "default") -> str:
        self.ran.append(path)
        return f"deleted {path}"


class Failing(BaseTool):
    """A tool that fails, always or for one path."""

    name: str = "delete_file"
    description: str = "Delete a file."
    failure: Any = None
    only: str | None = None

    def _run(self, path: str) -> str:
        if self.only in {None, path}:
            raise self.failure
        return f"deleted {path}"


class Start(BaseTool):
    """A tool that starts something else."""

    name: str = "start"
    description: str = "Start it."
    what: Any = None

    def _run(self) -> str:
        self.what()
        return "started"


def make_team(office: Any, log: list[str], *answers: Any, **more: Any) -> Any:
    """Return a @CrewBase class whose hooks say which instance was asked."""

    @CrewBase
    class Team:
        agents_config = None
        tasks_config = None

        def __init__(self, name: str) -> None:
            self.name = name

        @before_llm_call
        def before_model(self, ctx: Any) -> None:
            log.append(f"{self.name} model")

        @before_tool_call(tools=["delete_file"])
        def before_delete(self, ctx: Any) -> None:
            log.append(f"{self.name} {ctx.tool_name}")

        @on(InterceptionPoint.PRE_STEP)
        def step(self, ctx: Any) -> None:
            log.append(f"{self.name} step")

        @agent
        def worker(self) -> Any:
            return office.agent(*answers, **more)

        @task
        def job(self) -> Any:
            return Task(description="d", expected_output="e", agent=self.worker())

        @crew
        def crew(self) -> Any:
            return Crew(agents=self.agents, tasks=self.tasks)  # type: ignore[attr-defined]

    return Team


class Office:
    """The parts of CrewAI that a test needs, by default a crew of one agent with one tool."""

    def __init__(self) -> None:
        self.tool = DeleteFile(ran=[])
        self.llm = self.model()

    def model(self, *answers: Any, calls_tools: bool = False, direct: bool = False) -> FakeLLM:
        return FakeLLM(
            model="fake", answers=list(answers), seen=[], calls_tools=calls_tools, direct=direct
        )

    def agent(self, *answers: Any, role: str = "Worker", **more: Any) -> Any:
        calls_tools = any(isinstance(answer, list) for answer in answers)
        self.llm = self.model(*answers, calls_tools=calls_tools)
        parts = {"goal": "g", "backstory": "b", "llm": self.llm, "tools": [self.tool]}
        return Agent(role=role, **{**parts, **more})

    def crew(self, *answers: Any, **more: Any) -> Any:
        agent = self.agent(*answers, **more)
        task = Task(name="the task", description="d", expected_output="e", agent=agent)
        return Crew(agents=[agent], tasks=[task])
