"""A framework's adapter over the client's: each request is dispatched once."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import hookcore_openai
from hookcore import HookManager
from hookcore.hosting.checks import SECRET, Recorder, checked
from hookcore.testing.provider import FakeProvider

from .clients import FORMS

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20"),
]
pytest.importorskip("openai", reason="openai is not installed: see .ci/hosts/openai.txt")

TEXT = f"my password is {SECRET}"
CALLS = [[("add", '{"a": 1, "b": 2}', "c0")], "all is well"]


def adapter(runtime: str, name: str) -> Any:
    """Return the adapter of a framework that is installed; both are."""
    reason = f"{runtime} is not installed, or its adapter: see .ci/hosts/openai.sh"
    pytest.importorskip(runtime, reason=reason)
    return pytest.importorskip(name, reason=reason)


def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


async def by_openai_agents(provider: FakeProvider, system: str, *, streams: bool) -> Any:
    import agents

    agents.set_tracing_disabled(disabled=True)
    async with FORMS["chat"].async_client(provider.url) as client:
        kind = agents.OpenAIResponsesModel if streams else agents.OpenAIChatCompletionsModel
        model = kind("m", client)
        tools = [agents.function_tool(add)]
        agent = agents.Agent("main", model=model, instructions=system, tools=tools)
        if not streams:
            return (await agents.Runner.run(agent, TEXT)).final_output
        result = agents.Runner.run_streamed(agent, TEXT)
        async for _ in result.stream_events():
            pass
        return result.final_output


async def by_pydantic_ai(provider: FakeProvider, system: str, *, streams: bool) -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async with FORMS["chat"].async_client(provider.url) as client:
        kind = OpenAIResponsesModel if streams else OpenAIChatModel
        model = kind("m", provider=OpenAIProvider(openai_client=client))
        agent = Agent(model, instructions=system, tools=[add])
        if not streams:
            return (await agent.run(TEXT)).output
        async with agent.run_stream(TEXT) as result:
            return await result.get_output()


async def by_langchain(provider: FakeProvider, system: str, *, streams: bool) -> Any:
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    told: Any = {"model": "m", "base_url": f"{provider.url}/v1", "api_key": "none"}
    model = ChatOpenAI(**told, streaming=streams, stream_usage=False)
    agent = create_agent(model, [add], system_prompt=system)
    state = await agent.ainvoke({"messages": [{"role": "user", "content": TEXT}]})
    return state["messages"][-1].content


FRAMEWORKS: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "openai-agents": ("agents", "hookcore_openai_agents", by_openai_agents),
    "pydantic-ai": ("pydantic_ai", "hookcore_pydantic_ai", by_pydantic_ai),
    "langchain": ("langchain_openai", "hookcore_langchain", by_langchain),
}


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> Any:
    runtime, name, lead = FRAMEWORKS[request.param]
    return adapter(runtime, name), lead


@pytest.fixture
def governed(framework: Any) -> Iterator[tuple[Any, HookManager, Recorder]]:
    manager, recorder = checked()
    made, lead = framework
    for module in (made, hookcore_openai):
        importlib.import_module(module.__name__).install(manager)
    yield lead, manager, recorder
    made.uninstall()
    hookcore_openai.uninstall()


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
async def test_a_frameworks_requests_are_dispatched_once(
    *, streams: bool, governed: Any, provider: FakeProvider
) -> None:
    lead, _, recorder = governed
    provider.answers = list(CALLS)
    answer = await lead(provider, f"be brief, it is {SECRET}", streams=streams)
    assert answer == "all is well"
    assert len(provider.sent) == 2
    assert recorder.statuses("model_finished") == ["ok", "ok"]
    assert recorder.tools() == [("add", "ok")]
    assert SECRET not in provider.text


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "streamed"])
async def test_without_the_frameworks_adapter_the_clients_dispatches(
    *, streams: bool, framework: Any, install: Any, provider: FakeProvider
) -> None:
    _, lead = framework
    manager, recorder = checked()
    install(manager)
    provider.answers = list(CALLS)
    assert await lead(provider, f"be brief, it is {SECRET}", streams=streams) == "all is well"
    assert recorder.statuses("model_finished") == ["ok", "ok"]
    assert recorder.tools() == []
    assert SECRET not in provider.text


async def test_a_request_of_the_programs_own_inside_a_tool_is_dispatched(
    provider: FakeProvider, install: Any
) -> None:
    manager, recorder = checked()
    install(manager)
    with FORMS["chat"].client(provider.url) as client:

        @manager.tool
        def ask(text: str) -> str:
            answer = client.chat.completions.create(**FORMS["chat"].request(text))
            return str(answer.choices[0].message.content)

        assert ask(TEXT) == "all is well"
    assert recorder.statuses("model_finished") == ["ok"]
    assert SECRET not in provider.text
