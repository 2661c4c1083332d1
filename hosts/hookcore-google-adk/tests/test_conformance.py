"""The conformance kit on Google's ADK, all of whose agents are governed."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any, ClassVar

import pytest

from hookcore import HookManager
from hookcore.testing.conformance import Conformance, Driver, Job
from hookcore_google_adk.host import HOST

pytest.importorskip("google.adk", reason="google-adk is not installed: .ci/hosts/google-adk.txt")

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.function_tool import FunctionTool
from google.genai import types


class Model(BaseLlm):  # type: ignore[misc]
    """A model whose answers are the provider's."""

    provider: Any

    async def generate_content_async(self, llm_request: Any, **options: Any) -> Any:
        config, contents = llm_request.config, llm_request.contents
        parts = [part for content in contents for part in content.parts or ()]
        found = [part.function_response for part in parts if part.function_response]
        results = {told.id: _result(told.response) for told in found}
        offered = [
            item.name for tool in config.tools or () for item in tool.function_declarations or ()
        ]
        step = self.provider.ask((config.system_instruction, contents), results, offered)
        for piece in step.pieces if options.get("stream") and not step.calls else ():
            yield _response(types.Part(text=piece), partial=True)
        calls = [_call(call) for call in step.calls]
        yield _response(*(calls or [types.Part(text=step.text)]))


def _result(told: Any) -> Any:
    return told.get("result", told.get("error", told))


def _response(*parts: Any, partial: bool | None = None) -> Any:
    return LlmResponse(content=types.Content(role="model", parts=list(parts)), partial=partial)


def _call(call: Any) -> Any:
    name, args = call.name, dict(call.arguments)
    if name == "other":  # what the kit calls a hand-off is a tool's call here
        name, args = "transfer_to_agent", {"agent_name": "other"}
    if name == "delegate":
        args = {"request": args["text"]}
    return types.Part(function_call=types.FunctionCall(id=call.id, name=name, args=args))


class GoogleAdk(Driver):
    host = HOST
    ways: ClassVar[Any] = {"run_async": "async", "run": "async", "sse": "stream"}
    threads = frozenset({"run"})
    features = frozenset(
        [
            "async-wraps",
            "call-ids",
            "defaults",
            "hand-off",
            "offers",
            "parallel",
            "pause",
            "pieces",
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
        from hookcore_google_adk import uninstall

        uninstall()

    def agent(self, job: Job, name: str = "main") -> Any:
        tools: list[Any] = [
            _named(function, name, require_confirmation=name == "pay")
            for name, function in job.tools.items()
        ]
        others = []
        if job.inner is not None and job.by == "hand-off":
            others = [self.agent(job.inner, "other")]
        elif job.inner is not None:
            tools.append(AgentTool(self.agent(job.inner, "delegate")))
        return LlmAgent(
            name=name,
            model=Model(model="fake", provider=job.provider),
            instruction=job.system or "",
            tools=tools,
            sub_agents=others,
        )

    async def runner(self, job: Job) -> Any:
        runner = InMemoryRunner(app=App(name="app", root_agent=self.agent(job)))
        await runner.session_service.create_session(app_name="app", user_id="u", session_id="s")
        return runner

    async def run(self, way: str, job: Job) -> Any:
        message = types.Content(role="user", parts=[types.Part(text=job.text)])
        return await self.led(way, await self.runner(job), message, job)

    async def led(self, way: str, runner: Any, message: Any, job: Job) -> Any:
        return _answer(await self.events(way, runner, message, job))

    async def events(self, way: str, runner: Any, message: Any, job: Job) -> list[Any]:
        told: dict[str, Any] = {"user_id": "u", "session_id": "s", "new_message": message}
        if way == "run":
            return await asyncio.to_thread(lambda: list(runner.run(**told)))
        mode = StreamingMode.SSE if way == "sse" else StreamingMode.NONE
        found = []
        config = RunConfig(streaming_mode=mode)
        async with aclosing(runner.run_async(**told, run_config=config)) as events:
            async for event in events:
                found.append(event)
                if way == "sse":
                    job.shows(event)
        return found

    async def pause(self, way: str, job: Job) -> Any:
        runner = await self.runner(job)
        message = types.Content(role="user", parts=[types.Part(text=job.text)])
        events = await self.events(way, runner, message, job)
        asked = [call for event in events for call in event.get_function_calls()]
        return runner, next(call for call in asked if call.name == "adk_request_confirmation")

    async def resume(self, way: str, job: Job, token: Any) -> Any:
        runner, asked = token
        told = types.FunctionResponse(id=asked.id, name=asked.name, response={"confirmed": True})
        message = types.Content(role="user", parts=[types.Part(function_response=told)])
        return await self.led(way, runner, message, job)


def _named(function: Any, name: str, **options: Any) -> Any:
    tool = FunctionTool(function, **options)
    tool.name = name
    return tool


def _answer(events: list[Any]) -> str:
    finals = [event for event in events if event.is_final_response() and event.content]
    return "".join(part.text or "" for part in finals[-1].content.parts) if finals else ""


class TestConformance(Conformance):
    driver = GoogleAdk
