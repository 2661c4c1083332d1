"""Turns of agents whose models follow a script."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

from .common import TEXT, TURNS, Run, lookup

__all__ = ["agent_framework", "google_adk", "langchain", "openai_agents", "pydantic_ai", "strands"]


async def google_adk(stack: AsyncExitStack) -> Run:
    """Return a run of an agent of Google's ADK, in a session of its own."""
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    class Model(BaseLlm):  # type: ignore[misc]
        async def generate_content_async(self, llm_request: Any, **_: Any) -> Any:
            part = types.Part(text=TEXT)
            if len(llm_request.contents) < 2 * TURNS:
                call = types.FunctionCall(id="c", name="lookup", args={"key": "k"})
                part = types.Part(function_call=call)
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    agent = LlmAgent(name="main", model=Model(model="fake"), tools=[lookup])
    runner = InMemoryRunner(agent=agent, app_name="app")
    stack.push_async_callback(runner.close)
    await runner.session_service.create_session(app_name="app", user_id="u", session_id="s")

    async def run() -> list[Any]:
        message = types.Content(role="user", parts=[types.Part(text=f"What of this? {TEXT}")])
        events = runner.run_async(user_id="u", session_id="s", new_message=message)
        return [event async for event in events]

    return run


async def agent_framework(stack: AsyncExitStack) -> Run:
    """Return a run of an agent of Microsoft's Agent Framework."""
    import agent_framework as af

    class Client(af.FunctionInvocationLayer, af.ChatMiddlewareLayer, af.BaseChatClient):  # type: ignore[misc]
        async def _inner_get_response(self, *, messages: Any, **_: Any) -> Any:
            answer = af.Content.from_text(TEXT)
            if len(messages) < 2 * TURNS:
                call = uuid.uuid4().hex
                answer = af.Content.from_function_call(call, "lookup", arguments={"key": "k"})
            return af.ChatResponse(messages=[af.Message("assistant", [answer])])

    del stack
    tool = af.FunctionTool(name="lookup", description="Look something up.", func=lookup)
    most = {"max_iterations": 2 * TURNS}
    agent = af.Agent(Client(function_invocation_configuration=most), tools=[tool])

    async def run() -> object:
        return await agent.run(f"What of this? {TEXT}")

    return run


async def strands(stack: AsyncExitStack) -> Run:
    """Return a run of an agent of Strands."""
    from strands import Agent, tool
    from strands.models.model import Model

    class Scripted(Model):  # type: ignore[misc]
        def get_config(self) -> Any:
            return {"model_id": "fake"}

        def update_config(self, **_: Any) -> None:
            """Keep it as it is."""

        def structured_output(self, *_: Any, **__: Any) -> Any:
            """Answer nothing."""

        async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
            start: Any = {}
            delta: Any = {"text": TEXT}
            if asks := len(messages) < 2 * TURNS:
                start = {"toolUse": {"name": "lookup", "toolUseId": uuid.uuid4().hex}}
                delta = {"toolUse": {"input": '{"key": "k"}'}}
            yield {"messageStart": {"role": "assistant"}}
            yield {"contentBlockStart": {"start": start}}
            yield {"contentBlockDelta": {"delta": delta}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "tool_use" if asks else "end_turn"}}

    del stack
    agent = Agent(model=Scripted(), tools=[tool(lookup)], callback_handler=None)

    async def run() -> object:
        return await agent.invoke_async(f"What of this? {TEXT}")

    return run


async def langchain(stack: AsyncExitStack) -> Run:
    """Return a run of an agent of LangChain's."""
    from langchain.agents import create_agent
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Model(BaseChatModel):  # type: ignore[misc]
        _llm_type = "fake"

        def bind_tools(self, *_: Any, **__: Any) -> Any:
            return self

        def _generate(self, messages: Any, *_: Any, **__: Any) -> Any:
            said = AIMessage(TEXT)
            if len(messages) < 2 * TURNS:
                call = {"name": "lookup", "args": {"key": "k"}, "id": uuid.uuid4().hex}
                said = AIMessage("", tool_calls=[call])
            return ChatResult(generations=[ChatGeneration(message=said)])

    del stack
    agent = create_agent(Model(), [lookup])

    async def run() -> object:
        asked = {"messages": [("user", f"What of this? {TEXT}")]}
        return await agent.ainvoke(asked, {"recursion_limit": 10 * TURNS})

    return run


async def openai_agents(stack: AsyncExitStack) -> Run:
    """Return a run of an agent of the OpenAI Agents SDK."""
    from agents import Agent, Runner, function_tool, set_tracing_disabled
    from agents.testing import ScriptedModel, assistant_message, function_call

    del stack
    set_tracing_disabled(True)
    calls = [
        [function_call("lookup", {"key": "k"}, call_id=uuid.uuid4().hex)] for _ in range(TURNS)
    ]
    model = ScriptedModel([*calls, [assistant_message(TEXT)]])
    agent = Agent(name="main", model=model, tools=[function_tool(lookup)])

    async def run() -> object:
        return await Runner.run(agent, f"What of this? {TEXT}", max_turns=2 * TURNS)

    return run


async def pydantic_ai(stack: AsyncExitStack) -> Run:
    """Return a run of an agent of Pydantic AI."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def answer(messages: Any, _: Any) -> Any:
        if len(messages) < 2 * TURNS:
            return ModelResponse([ToolCallPart("lookup", {"key": "k"})])
        return ModelResponse([TextPart(TEXT)])

    del stack
    agent = Agent(FunctionModel(answer), tools=[lookup])

    async def run() -> object:
        return await agent.run(f"What of this? {TEXT}")

    return run
