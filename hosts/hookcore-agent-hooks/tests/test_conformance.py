"""The conformance kit on the interceptor, in the Agent Framework, which asks it."""

from __future__ import annotations

import json
import warnings
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import pytest

from hookcore.testing.conformance import Conformance, Driver, Job, Provider
from hookcore_agent_hooks import HOST, Hookcore

pytest.importorskip(
    "agent_framework",
    reason="agent-framework-core is not installed: .ci/hosts/agent-hooks.txt",
)

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionTool,
    Message,
    ResponseStream,
    create_agent_hooks_middleware,
)


class Fake(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):  # type: ignore[misc]
    """A chat client whose answers are the provider's."""

    def __init__(self, provider: Provider, **options: Any) -> None:
        super().__init__(**options)
        self._provider = provider

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **more: Any) -> Any:
        del more
        if stream:
            updates = self._pieces(messages, options)
            return ResponseStream(updates, finalizer=ChatResponse.from_updates)
        return self._whole(messages, options)

    def _ask(self, messages: Any, options: Any) -> Any:
        contents = [content for message in messages for content in message.contents]
        results = [content for content in contents if content.type == "function_result"]
        told = {content.call_id: content.result for content in results}
        tools = (options or {}).get("tools") or ()
        sent = ([message.to_dict() for message in messages], (options or {}).get("instructions"))
        return self._provider.ask(sent, told, [tool.name for tool in tools])

    async def _whole(self, messages: Any, options: Any) -> Any:
        step = self._ask(messages, options)
        contents = [_call(call) for call in step.calls] or [Content.from_text(step.text)]
        return ChatResponse(messages=[Message("assistant", contents)])

    async def _pieces(self, messages: Any, options: Any) -> AsyncIterator[Any]:
        step = self._ask(messages, options)
        for call in step.calls:
            whole = _call(call)
            for piece in (whole.arguments[:3], whole.arguments[3:]):
                made = Content.from_function_call(call.id, whole.name, arguments=piece)
                yield ChatResponseUpdate(contents=[made], role="assistant")
        for piece in step.pieces if not step.calls else ():
            yield ChatResponseUpdate(contents=[Content.from_text(piece)], role="assistant")


def _call(call: Any) -> Any:
    args = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    return Content.from_function_call(call.id, call.name, arguments=args)


_FAILURE = "AGENT-HOOKS has no more of a policy's failure than that there was one; it stops the run"
_PARENTS = "AGENT-HOOKS does not know of parents"
_KNOWN = {
    "a sub agents run has a parent and each ends once": _PARENTS,
    "a policy that fails before a sub agents run is told to the host": _PARENTS,
    "a policy that fails after a sub agents run is told to the host": _PARENTS,
    "a system prompt reaches the provider redacted": (
        "the Agent Framework asks its interceptors about messages, and not about instructions"
    ),
    "a policy that fails before a request is told to the host": _FAILURE,
    "a policy that fails after a response is told to the host": _FAILURE,
    "a policy that fails is told to the host and not to the model": _FAILURE,
    "a policy that fails after the tool is told to the host": _FAILURE,
    "a policy that fails at one of several calls stops the run": _FAILURE,
    "a policy that fails at a sub agents request is told to the host": _FAILURE,
    "a policy that fails at a sub agents tool is told to the host": _FAILURE,
    "a hook may answer for a failed tool": (
        "the Agent Framework tells interceptors of a tool's failure, and keeps to it"
    ),
    "without policies a stream has the items that it has without hookcore": (
        "the Agent Framework holds a stream until interceptors have judged all of it"
    ),
}


class Interceptor(Driver):
    host = HOST
    ways: ClassVar[Any] = {"run": "async", "run_stream": "stream"}
    features = frozenset(["call-ids", "parallel", "pause", "raw-arguments", "sub-agent", "system"])
    known = _KNOWN

    def agent(self, way: str, job: Job) -> Any:
        tools = [
            FunctionTool(
                name=name,
                description=name,
                func=function,
                approval_mode="always_require" if name == "pay" else "never_require",
            )
            for name, function in job.tools.items()
        ]
        inner = job.inner
        if inner is not None:

            async def delegate(text: str) -> str:
                return str(await self.run(way, inner))

            tools.append(FunctionTool(name="delegate", description="d", func=delegate))
        return Agent(Fake(job.provider), job.system, tools=tools, **self.options())

    def options(self) -> dict[str, Any]:
        if self.manager is None:
            return {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it is experimental there
            return {"middleware": [create_agent_hooks_middleware([Hookcore(self.manager)])]}

    async def run(self, way: str, job: Job) -> Any:
        return (await self.led(way, self.agent(way, job), job.text, job)).text

    async def led(self, way: str, agent: Any, given: Any, job: Job, **options: Any) -> Any:
        if way == "run":
            return await agent.run(given, **options)
        stream = agent.run(given, stream=True, **options)
        try:
            async for update in stream:
                job.shows(update.to_dict())
            return await stream.get_final_response()
        finally:
            close = getattr(stream, "close", None)
            if close is not None:
                await close()

    async def pause(self, way: str, job: Job) -> Any:
        agent = self.agent(way, job)
        session = agent.create_session()
        asked = await self.led(way, agent, job.text, job, session=session)
        (wanted,) = asked.user_input_requests
        answer = wanted.to_function_approval_response(approved=True)
        return agent, session, Message("user", [answer])

    async def resume(self, way: str, job: Job, token: Any) -> Any:
        agent, session, answer = token
        return (await self.led(way, agent, answer, job, session=session)).text


class TestConformance(Conformance):
    driver = Interceptor
