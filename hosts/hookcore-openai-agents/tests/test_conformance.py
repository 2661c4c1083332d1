"""The conformance kit on the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar

import pytest

from hookcore import HookManager
from hookcore.testing.conformance import Conformance, Driver, Job, Provider
from hookcore_openai_agents.host import HOST

pytest.importorskip("agents", reason="openai-agents is not installed: .ci/hosts/openai-agents.txt")

import agents
from agents.testing import ScriptedModel, assistant_message, function_call

agents.set_tracing_disabled(disabled=True)


_NAMES = (
    "system_instructions",
    "input",
    "model_settings",
    "tools",
    "output_schema",
    "handoffs",
    "tracing",
)


class Model(ScriptedModel):  # type: ignore[misc]
    """The SDK's own fake, each of whose turns is the provider's next answer."""

    def __init__(self, provider: Provider) -> None:
        super().__init__([])
        self._provider = provider

    def _asked(self, *, system_instructions: Any, input: Any, tools: Any, **_: Any) -> None:  # noqa: A002 - the SDK's name
        items = [] if isinstance(input, str) else input
        outputs = [item for item in items if item.get("type") == "function_call_output"]
        results = {item["call_id"]: item["output"] for item in outputs}
        step = self._provider.ask(
            (system_instructions, input), results, [tool.name for tool in tools]
        )
        turn = [
            function_call(
                call.name,
                call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments),
                call_id=call.id,
            )
            for call in step.calls
        ]
        self.extend([turn or [assistant_message(step.text)]])

    async def get_response(self, *args: Any, **options: Any) -> Any:
        options.update(zip(_NAMES, args, strict=False))
        self._asked(**options)
        return await super().get_response(**options)

    async def stream_response(self, *args: Any, **options: Any) -> Any:
        options.update(zip(_NAMES, args, strict=False))
        self._asked(**options)
        async for event in super().stream_response(**options):
            yield event


class OpenAIAgents(Driver):
    host = HOST
    ways: ClassVar[Any] = {"run": "async", "run_sync": "async", "run_streamed": "stream"}
    threads = frozenset({"run_sync"})
    features = frozenset(
        [
            "async-wraps",
            "call-ids",
            "defaults",
            "hand-off",
            "offers",
            "parallel",
            "pause",
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
        from hookcore_openai_agents import uninstall

        uninstall()

    def agent(self, way: str, job: Job, name: str = "main", **options: Any) -> Any:
        tools = [
            agents.function_tool(
                function, name_override=name, strict_mode=False, needs_approval=name == "pay"
            )
            for name, function in job.tools.items()
        ]
        inner = job.inner
        if inner is not None and job.by == "hand-off":
            other = self.agent(way, inner, "other")
            options["handoffs"] = [agents.handoff(other, tool_name_override="other")]
        elif inner is not None:

            async def delegate(text: str) -> str:
                return str(await self.run(way, inner))

            tools.append(agents.function_tool(delegate))
        model = Model(job.provider)
        return agents.Agent(name, model=model, tools=tools, instructions=job.system, **options)

    async def run(self, way: str, job: Job) -> Any:
        return (await self.led(way, self.agent(way, job), job.text, job)).final_output

    async def led(self, way: str, agent: Any, given: Any, job: Job) -> Any:
        if way == "run":
            return await agents.Runner.run(agent, given)
        if way == "run_sync":
            return await asyncio.to_thread(self.in_thread, agent, given)
        result = agents.Runner.run_streamed(agent, given)
        try:
            async for event in result.stream_events():
                job.shows(event)
        except BaseException:
            result.cancel()
            raise
        return result

    def in_thread(self, agent: Any, given: Any) -> Any:
        # run_sync leaves the loop open that it makes where there is none.
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            return agents.Runner.run_sync(agent, given)
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    async def pause(self, way: str, job: Job) -> Any:
        agent = self.agent(way, job)
        asked = await self.led(way, agent, job.text, job)
        (wanted,) = asked.interruptions
        state = asked.to_state()
        state.approve(wanted)
        return agent, state

    async def resume(self, way: str, job: Job, token: Any) -> Any:
        agent, state = token
        return (await self.led(way, agent, state, job)).final_output


class TestConformance(Conformance):
    driver = OpenAIAgents
