"""The ADK offline: a model that follows a script, and the ways to run an agent."""

from __future__ import annotations

import asyncio
import copy
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hosting.checks import Office

Step = Any  # a text to answer with, or a list of (tool's name, arguments)


def is_installed() -> bool:
    try:
        return find_spec("google.adk") is not None
    except ModuleNotFoundError:
        return False


if is_installed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from google.adk.agents import LlmAgent
        from google.adk.agents.run_config import RunConfig, StreamingMode
        from google.adk.apps import App
        from google.adk.models.base_llm import BaseLlm
        from google.adk.models.llm_response import LlmResponse
        from google.adk.runners import InMemoryRunner
        from google.genai import types

    class Script(BaseLlm):  # type: ignore[misc]
        """A model's answers one after the other, and the requests that it was sent."""

        steps: list[Any]
        seen: list[Any]
        prefix: str = "c"

        async def generate_content_async(self, llm_request: Any, **options: Any) -> Any:
            stream = options.get("stream", False)
            self.seen.append(copy.deepcopy((llm_request.config, llm_request.contents)))
            step = self.steps.pop(0)
            if isinstance(step, str):
                for at, word in enumerate(step.split(" ") if stream else ()):
                    yield response(types.Part(text=f" {word}" if at else word), partial=True)
                yield response(types.Part(text=step))
                return
            calls = [
                types.FunctionCall(id=f"{self.prefix}{at}", name=name, args=args)
                for at, (name, args) in enumerate(step)
            ]
            yield response(*[types.Part(function_call=call) for call in calls])

        def sent(self) -> str:
            """Return all that the model was sent, as text."""
            return repr(self.seen)

        def results(self, request: int = 1) -> dict[str, Any]:
            """Return the tools' results in a request, by the tools' names."""
            parts = [part for content in self.seen[request][1] for part in content.parts]
            found = [part.function_response for part in parts if part.function_response]
            return {result.name: result.response for result in found}


def response(*parts: Any, partial: bool | None = None) -> Any:
    return LlmResponse(content=types.Content(role="model", parts=list(parts)), partial=partial)


def make_script(*steps: Step, **options: Any) -> Any:
    return Script(model="fake", steps=list(steps), seen=[], **options)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the ADK say what of it is experimental or deprecated: we use none of it ourselves."""
    told = (".EXPERIMENTAL.:UserWarning", "The `plugins` argument is:DeprecationWarning")
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            for warning in told:
                item.add_marker(pytest.mark.filterwarnings(f"ignore:{warning}"))


@pytest.fixture
def script() -> Callable[..., Any]:
    if not is_installed():
        pytest.skip("google-adk is not installed: see .ci/hosts/google-adk.txt")
    return make_script


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.fixture
def install(script: Any) -> Iterator[Callable[..., Any]]:
    """Return the adapter's install(), undone afterwards."""
    from hookcore_google_adk import install, uninstall

    yield install
    uninstall()


@pytest.fixture
def agent(office: Office, install: Any) -> Callable[..., Any]:
    """Return an agent with a script and the office's tools, governed by a manager."""

    def make(manager: HookManager, model: Any, *own: Any, **options: Any) -> Any:
        install(manager)
        names = ("add", "danger", "lookup", "secret", "fails", "broken", "slow")
        tools = [getattr(office, name) for name in names]
        return LlmAgent(**{"name": "main", "model": model, "tools": [*tools, *own], **options})

    return make


async def runner_of(agent: Any, **options: Any) -> Any:
    runner = InMemoryRunner(app=App(name="app", root_agent=agent, **options))
    await runner.session_service.create_session(app_name="app", user_id="u", session_id="s")
    return runner


async def reading(agent: Any, given: Any, *, stream: bool = False, **options: Any) -> Any:
    runner = await runner_of(agent, **options)
    config = RunConfig(streaming_mode=StreamingMode.SSE) if stream else RunConfig()
    told = {"new_message": message_of(given), "run_config": config}
    return runner.run_async(user_id="u", session_id="s", **told)


async def events_of(agent: Any, given: Any, **options: Any) -> list[Any]:
    return [event async for event in await reading(agent, given, **options)]


@pytest.fixture
def read() -> Any:
    """Return what starts an agent on a message, and gives the events to read."""
    return reading


@pytest.fixture
def run() -> Any:
    """Return what runs an agent on a message, and gives all events."""
    return events_of


@pytest.fixture(name="response")
def response_fixture() -> Any:
    """Return what makes a response of parts."""
    return response


def message_of(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    return types.Content(role="user", parts=[types.Part(text=given)])


def text_of(events: list[Any]) -> str:
    finals = [event for event in events if event.is_final_response()]
    parts = finals[-1].content.parts if finals and finals[-1].content else ()
    return "".join(part.text or "" for part in parts)


async def by_run_async(agent: Any, given: Any) -> str:
    return text_of(await events_of(agent, given))


async def by_run(agent: Any, given: Any) -> str:
    runner = await runner_of(agent)

    def run() -> list[Any]:
        return list(runner.run(user_id="u", session_id="s", new_message=message_of(given)))

    return text_of(await asyncio.to_thread(run))


async def by_streaming(agent: Any, given: Any) -> str:
    return text_of(await events_of(agent, given, stream=True))


@pytest.fixture(params=[by_run_async, by_run, by_streaming])
def go(request: pytest.FixtureRequest) -> Any:
    """Return a way to run an agent on a message and have the text of its final response."""
    return request.param
