"""The Agents SDK offline: a model that follows a script, and the ways to run an agent."""

from __future__ import annotations

import asyncio
import importlib
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hosting.checks import Office

Step = Any  # a text to answer with, or a list of (tool's name, arguments)

if find_spec("agents"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("agents")
    import agents
    from agents.testing import ScriptedModel, assistant_message, function_call

    agents.set_tracing_disabled(disabled=True)

    class Script(ScriptedModel):  # type: ignore[misc]
        """A model's answers one after the other, and the requests that it was sent."""

        def sent(self) -> str:
            """Return all that the model was sent, as text."""
            return repr([(call.system_instructions, call.input) for call in self.calls])

        def results(self, request: int = 1) -> dict[str, Any]:
            """Return the tools' outputs in a request, by the calls' ids."""
            items = self.calls[request].input
            outputs = [item for item in items if item.get("type") == "function_call_output"]
            return {item["call_id"]: item["output"] for item in outputs}


def make_script(*steps: Step, prefix: str = "c") -> Any:
    return Script(
        [
            [assistant_message(step)]
            if isinstance(step, str)
            else [
                function_call(name, args, call_id=f"{prefix}{at}")
                for at, (name, args) in enumerate(step)
            ]
            for step in steps
        ]
    )


@pytest.fixture
def script() -> Callable[..., Any]:
    pytest.importorskip(
        "agents",
        reason="openai-agents is not installed: see .ci/hosts/openai-agents.txt",
    )
    return make_script


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.fixture
def install() -> Iterator[Callable[..., Any]]:
    """Return the adapter's install(), undone afterwards."""
    pytest.importorskip("agents", reason="openai-agents is not installed")
    from hookcore_openai_agents import install, uninstall

    yield install
    uninstall()


@pytest.fixture
def agent(office: Office, install: Any) -> Callable[..., Any]:
    """Return an agent with a script and the office's tools, governed by a manager."""

    def make(manager: HookManager, model: Any, *own: Any, **options: Any) -> Any:
        install(manager)
        names = ("add", "danger", "lookup", "secret", "fails", "broken", "slow")
        tools = [agents.function_tool(getattr(office, name), name_override=name) for name in names]
        told = {"name": "main", "tools": [*tools, *own], **options}
        return agents.Agent(model=model, **told)

    return make


async def by_run(agent: Any, given: Any) -> Any:
    return await agents.Runner.run(agent, given)


async def by_run_sync(agent: Any, given: Any) -> Any:
    def run() -> Any:
        # run_sync leaves the loop open that it makes where there is none.
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            return agents.Runner.run_sync(agent, given)
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    return await asyncio.to_thread(run)


async def by_run_streamed(agent: Any, given: Any) -> Any:
    result = agents.Runner.run_streamed(agent, given)
    async for _ in result.stream_events():
        pass
    return result


@pytest.fixture(params=[by_run, by_run_sync, by_run_streamed])
def go(request: pytest.FixtureRequest) -> Any:
    """Return a way to run an agent on an input and have the result."""
    return request.param
