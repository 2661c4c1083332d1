"""The Agent Framework offline: a client that follows a script, and the ways to run an agent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import HookManager
from hookcore.hosting.checks import Office

if find_spec("agent_framework"):
    import agent_framework as af

    class Script(af.FunctionInvocationLayer, af.ChatMiddlewareLayer, af.BaseChatClient):  # type: ignore[misc]
        """A client's answers, one after the other, and the requests that it was sent."""

        def __init__(self, *steps: Any, **options: Any) -> None:
            super().__init__(**options)
            self.steps, self.sent = list(steps), list[Any]()

        def _inner_get_response(
            self, *, messages: Any, stream: bool, options: Any, **more: Any
        ) -> Any:
            del more
            if stream:
                pieces = self._pieces(messages, options)
                return af.ResponseStream(pieces, finalizer=af.ChatResponse.from_updates)
            return self._whole(messages, options)

        def _next(self, messages: Any, options: Any) -> list[Any]:
            given = [message.to_dict() for message in messages]
            self.sent.append({"messages": given, "options": dict(options or {})})
            step = self.steps.pop(0)
            return [af.Content.from_text(step)] if isinstance(step, str) else step

        async def _whole(self, messages: Any, options: Any) -> Any:
            contents = self._next(messages, options)
            usage = {"input_token_count": 1, "output_token_count": 2}
            message = af.Message("assistant", contents)
            return af.ChatResponse(messages=[message], usage_details=usage)

        async def _pieces(self, messages: Any, options: Any) -> AsyncIterator[Any]:
            for content in self._next(messages, options):
                words = content.text.split(" ") if content.type == "text" else []
                for word in words:
                    piece = af.Content.from_text(f"{word} ")
                    yield af.ChatResponseUpdate(contents=[piece], role="assistant")
                if not words:
                    yield af.ChatResponseUpdate(contents=[content], role="assistant")

        def results(self, request: int = -1) -> dict[str, Any]:
            """Return the tools' results in a request, by the calls' ids."""
            contents = [
                c for message in self.sent[request]["messages"] for c in message["contents"]
            ]
            results = [content for content in contents if content["type"] == "function_result"]
            return {content["call_id"]: content["result"] for content in results}


@pytest.fixture
def call() -> Callable[..., Any]:
    """Return what makes a call as the model makes it."""

    def make(name: str, call_id: str = "c0", /, **args: Any) -> Any:
        return af.Content.from_function_call(call_id, name, arguments=args)

    return make


@pytest.fixture
def script() -> Callable[..., Any]:
    pytest.importorskip(
        "agent_framework",
        reason="agent-framework-core is not installed: see .ci/hosts/agent-framework.txt",
    )
    return Script


@pytest.fixture
def office() -> Office:
    return Office()


@pytest.fixture
def install() -> Iterator[Callable[..., Any]]:
    """Return the adapter's install(), undone afterwards."""
    pytest.importorskip("agent_framework", reason="agent-framework-core is not installed")
    from hookcore_agent_framework import install, uninstall

    yield install
    uninstall()


@pytest.fixture
def agent(office: Office) -> Callable[..., Any]:
    """Return an agent with a script and tools of the office's, governed by a manager."""

    def make(manager: HookManager, client: Any, *own: Any, **options: Any) -> Any:
        from hookcore_agent_framework import middleware

        tools = [
            af.FunctionTool(name=name, description=name, func=getattr(office, name))
            for name in ("add", "danger", "lookup", "fails", "broken")
        ]
        given = [*options.pop("middleware", ()), *middleware(manager)]
        return af.Agent(client, tools=[*tools, *own], middleware=given, **options)

    return make


async def by_run(agent: Any, given: Any, **options: Any) -> Any:
    return await agent.run(given, **options)


async def by_stream(agent: Any, given: Any, **options: Any) -> Any:
    stream = agent.run(given, stream=True, **options)
    async for _ in stream:
        pass
    return await stream.get_final_response()


@pytest.fixture(params=[by_run, by_stream])
def go(request: pytest.FixtureRequest) -> Any:
    """Return a way to run an agent on an input and have the response."""
    return request.param
