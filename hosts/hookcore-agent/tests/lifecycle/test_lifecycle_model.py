"""Extensions around the model: frozen requests, the onion around the stream."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from hookcore import ModelResponse, TextChunk
from hookcore_agent import EventType
from hookcore_agent.lifecycle import (
    AgentProtocolError,
    Extension,
    ModelRequest,
    RunCancelledEvent,
    UserMessage,
)

pytestmark = pytest.mark.asyncio


class Onion(Extension):
    """Notes when the stream enters and leaves it."""

    def __init__(self, log: list[str], name: str, priority: int) -> None:
        super().__init__(name=name, priority=priority)
        self.log = log

    async def on_model_request(self, context: Any, request: Any, call_next: Any) -> Any:
        self.log.append(f"+{self.name}")
        added = replace(request, messages=(*request.messages, UserMessage(self.name)))
        try:
            async with aclosing(call_next(added)) as events:
                async for event in events:
                    yield event
        finally:
            self.log.append(f"-{self.name}")

    async def on_event(self, context: Any, event: Any) -> None:
        if isinstance(event, RunCancelledEvent):
            self.log.append("cancelled")


async def test_each_extension_gets_a_request_of_its_own_with_the_latest_messages(
    make_agent: Any,
) -> None:
    seen: list[ModelRequest] = []

    class Look(Extension):
        async def before_model(self, context: Any, request: Any) -> None:
            seen.append(request)
            context.state.add_message(UserMessage(self.name))
            context.register_server_tool(f"tool_{self.name}")

    agent = make_agent(Look(name="a"), Look(name="b"), turns=["hello"])
    await agent.run("hi")
    requests = [*seen, agent.model.requests[0]]
    assert len({id(request) for request in requests}) == 3
    assert [[m.content for m in request.messages] for request in requests] == [
        ["hi"],
        ["hi", "a"],
        ["hi", "a", "b"],
    ]
    assert [[t.type for t in request.server_tools] for request in requests] == [
        [],
        ["tool_a"],
        ["tool_a", "tool_b"],
    ]


async def test_a_request_is_frozen(make_agent: Any) -> None:
    class Change(Extension):
        async def before_model(self, context: Any, request: Any) -> None:
            request.messages = ()

    agent = make_agent(Change(), turns=["hello"])
    with pytest.raises(FrozenInstanceError):
        await agent.run("hi")
    assert agent.model.requests == []


async def test_a_failure_before_the_model_means_that_it_is_never_called(
    make_agent: Any, journal: Any
) -> None:
    agent = make_agent(journal([], fails={"before_model": RuntimeError("no")}), turns=["hello"])
    with pytest.raises(RuntimeError):
        await agent.run("hi")
    assert agent.model.requests == []


async def test_the_lowest_priority_is_the_outermost_and_added_messages_come_in_order(
    make_agent: Any,
) -> None:
    log: list[str] = []

    async def turn(request: Any) -> Any:
        log.append("model")
        yield ModelResponse("hello")

    inner, outer = Onion(log, "inner", 9), Onion(log, "outer", 1)
    agent = make_agent(inner, outer, turns=[turn])
    result = await agent.run("hi")
    assert log == ["+outer", "+inner", "model", "-inner", "-outer"]
    sent = [message.content for message in agent.model.requests[0].messages]
    assert sent == ["hi", "outer", "inner"]
    assert [message.content for message in result.messages] == ["hi", "hello"]


async def test_a_closed_stream_closes_model_inner_and_outer_before_it_is_told(
    make_agent: Any,
) -> None:
    log: list[str] = []

    async def turn(request: Any) -> Any:
        try:
            yield TextChunk("hel")
            yield ModelResponse("hello")
        finally:
            log.append("-model")

    agent = make_agent(Onion(log, "inner", 9), Onion(log, "outer", 1), turns=[turn])
    stream = agent.stream("hi")
    async for event in stream:
        if event.type == EventType.TEXT:
            break
    await stream.aclose()
    assert log == [
        "+outer",
        "+inner",
        "-model",
        "-inner",
        "-outer",
        "cancelled",
        "cancelled",
    ]


async def test_a_middleware_may_answer_alone(make_agent: Any, journal: Any) -> None:
    log: list[str] = []

    class Cache(Extension):
        async def on_model_request(self, context: Any, request: Any, call_next: Any) -> Any:
            yield ModelResponse("from the cache")

    agent = make_agent(Cache(), journal(log), turns=[])
    events = [event async for event in agent.stream("hi")]
    assert events[-1].payload.output == "from the cache"
    assert [event.type for event in events[:2]] == [
        EventType.MODEL_STARTED,
        EventType.MODEL_COMPLETED,
    ]
    assert "after_model" in log


async def test_a_middleware_may_change_and_inject_events(make_agent: Any) -> None:
    class Shout(Extension):
        async def on_model_request(self, context: Any, request: Any, call_next: Any) -> Any:
            yield TextChunk("> ")
            async with aclosing(call_next(request)) as events:
                async for event in events:
                    if isinstance(event, ModelResponse):
                        yield replace(event, content="> " + event.content.upper())
                    else:
                        yield TextChunk(event.text.upper())

    agent = make_agent(Shout(), turns=["hello you"])
    events = [event async for event in agent.stream("hi")]
    texts = [event.payload for event in events if event.type == EventType.TEXT]
    assert "".join(texts) == events[-1].payload.output == "> HELLO YOU"


@pytest.mark.parametrize(
    ("tail", "told"),
    [
        ([], "ended without a response"),
        ([ModelResponse("a"), TextChunk("b")], "after the response"),
    ],
)
async def test_a_middleware_keeps_to_one_response_at_the_end(
    make_agent: Any, tail: list[Any], told: str
) -> None:
    class Wrong(Extension):
        async def on_model_request(self, context: Any, request: Any, call_next: Any) -> Any:
            for event in tail:
                yield event

    with pytest.raises(AgentProtocolError, match=told):
        await make_agent(Wrong(), turns=[]).run("hi")


async def test_a_failing_middleware_fails_the_request(make_agent: Any) -> None:
    class Wrong(Extension):
        async def on_model_request(self, context: Any, request: Any, call_next: Any) -> Any:
            raise PermissionError("no")
            yield

    agent = make_agent(Wrong(), turns=["hello"])
    with pytest.raises(PermissionError):
        await agent.run("hi", "s")
    assert [message.role for message in agent.session("s").messages] == ["user"]


async def test_after_model_sees_the_usage_and_the_stored_message(make_agent: Any) -> None:
    seen: list[Any] = []

    class Look(Extension):
        async def after_model(self, context: Any, response: Any) -> None:
            seen.append((response.usage, context.session.messages[-1].content))

    turn = ModelResponse("hello", usage={"total_tokens": 3})
    await make_agent(Look(), turns=[turn]).run("hi")
    assert seen == [({"total_tokens": 3}, "hello")]


async def test_a_failure_in_after_model_leaves_the_message_and_skips_the_others(
    make_agent: Any, journal: Any
) -> None:
    log: list[str] = []
    first = journal(log, "first", 1, fails={"after_model": RuntimeError("no")})
    agent = make_agent(first, journal(log, "second", 2), turns=["hello"])
    with pytest.raises(RuntimeError):
        await agent.run("hi", "s")
    assert agent.session("s").messages[-1].content == "hello"
    assert "second.after_model" not in log


async def test_a_middleware_may_change_the_tools_of_one_call(make_agent: Any) -> None:
    class NoTools(Extension):
        async def on_model_request(self, context: Any, request: Any, call_next: Any) -> Any:
            async with aclosing(call_next(replace(request, tools=()))) as events:
                async for event in events:
                    yield event

    agent = make_agent(NoTools(), turns=["hello"])
    await agent.run("hi")
    assert agent.model.requests[0].tools == ()


async def test_the_default_middleware_passes_everything_on(make_agent: Any) -> None:
    class Default(Extension):
        async def on_model_request(self, context: Any, request: Any, call_next: Any) -> Any:
            async for event in super().on_model_request(context, request, call_next):
                yield event

    assert (await make_agent(Default(), turns=["hello"]).run("hi")).output == "hello"
