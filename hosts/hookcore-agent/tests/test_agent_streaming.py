"""The events that leave a stream, and when: buffer, window, observe; denials; readers that leave."""

from __future__ import annotations

import asyncio
import gc
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookManager, ModelResponse, TextChunk
from hookcore_agent import Agent, AgentProtocolError, EventType, ScriptedModel

pytestmark = pytest.mark.asyncio

SECRET = re.compile(r"sk-[a-z]{10}")
SPLIT = ["the key is s", "k-ab", "cde", "fgh", "ij, keep it", " safe"]
Policy = Callable[..., str]


class Chunked:
    """A model that notes how far its reader let it come, and whether it was closed."""

    name = "chunked"
    provider = "test"

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.sent = 0
        self.closed = False

    async def stream(self, request: Any) -> AsyncIterator[Any]:
        try:
            for text in self.texts:
                self.sent += 1
                yield TextChunk(text)
                await asyncio.sleep(0)
            yield ModelResponse("".join(self.texts))
        finally:
            self.closed = True


async def read_texts(agent: Agent, texts: list[str]) -> None:
    async for event in agent.stream("hi", "s"):
        texts += [event.payload] if event.type == EventType.TEXT else []


async def texts_of(agent: Agent) -> list[str]:
    texts: list[str] = []
    await read_texts(agent, texts)
    return texts


async def test_without_policies_the_text_leaves_as_it_comes(manager: HookManager) -> None:
    model = Chunked(SPLIT)
    agent = Agent("a", model, hooks=manager)
    sent: list[int] = []
    texts: list[str] = []
    async for event in agent.stream("hi"):
        if event.type == EventType.TEXT:
            texts.append(event.payload)
            sent.append(model.sent)
    assert texts == SPLIT
    assert sent == [1, 2, 3, 4, 5, 6]


async def test_a_window_redacts_a_secret_that_is_split_over_five_chunks(
    manager: HookManager, policy: Policy
) -> None:
    def redact(ctx: Any) -> str:
        return SECRET.sub("[key]", ctx.payload)

    policy("post_model_call", redact, stream="window", window=16)
    agent = Agent("a", Chunked(SPLIT), hooks=manager)
    texts = await texts_of(agent)
    assert "".join(texts) == "the key is [key], keep it safe"
    assert len(texts) > 1
    assert agent.session("s").messages[-1].content == "the key is [key], keep it safe"


async def test_a_buffering_policy_lets_nothing_out_before_it_has_judged_all(
    manager: HookManager, policy: Policy
) -> None:
    model = Chunked(SPLIT)
    sent_when_judged: list[int] = []

    def redact(ctx: Any) -> ModelResponse:
        sent_when_judged.append(model.sent)
        return ModelResponse(SECRET.sub("[key]", ctx.response.content))

    policy("post_model_call", redact)
    agent = Agent("a", model, hooks=manager)
    assert await texts_of(agent) == ["the key is [key], keep it safe"]
    assert sent_when_judged == [len(SPLIT)]


async def test_a_buffering_policy_that_denies_lets_nothing_out(
    manager: HookManager, policy: Policy
) -> None:
    def deny(ctx: Any) -> None:
        raise HookAborted("a key", message="This answer is withheld.")

    policy("post_model_call", deny)
    agent = Agent("a", Chunked(SPLIT), hooks=manager)
    texts: list[str] = []
    with pytest.raises(HookAborted, match="a key"):
        await read_texts(agent, texts)
    assert texts == []
    assert [message.role for message in agent.session("s").messages] == ["user"]


async def test_an_observing_policy_hears_the_whole_and_holds_nothing(
    manager: HookManager, policy: Policy
) -> None:
    heard: list[str] = []
    policy("post_model_call", lambda ctx: heard.append(ctx.response.content), stream="observe")
    model = Chunked(SPLIT)
    agent = Agent("a", model, hooks=manager)
    assert await texts_of(agent) == SPLIT
    assert heard == ["".join(SPLIT)]


async def test_a_denial_in_mid_stream_ends_it_and_keeps_the_secret(
    manager: HookManager, policy: Policy, points: list[tuple[str, Any]]
) -> None:
    def stop(ctx: Any) -> None:
        if SECRET.search(ctx.payload):
            raise HookAborted("a key")

    policy("post_model_call", stop, stream="window", window=16)
    model = Chunked(SPLIT)
    agent = Agent("a", model, hooks=manager)
    texts: list[str] = []
    with pytest.raises(HookAborted, match="a key"):
        await read_texts(agent, texts)
    assert "sk-" not in "".join(texts)
    assert model.closed
    assert [point for point in points if point[0] == "model_finished"] == [
        ("model_finished", "denied")
    ]
    assert agent.active_sessions == ()


async def test_a_reader_that_leaves_early_closes_the_model(
    manager: HookManager, points: list[tuple[str, Any]]
) -> None:
    model = Chunked(SPLIT)
    agent = Agent("a", model, hooks=manager)
    stream = agent.stream("hi", "s")
    async for event in stream:
        if event.type == EventType.TEXT:
            break
    await stream.aclose()
    assert (model.closed, model.sent) == (True, 1)
    ends = [(name, status) for name, status in points if name.endswith("_finished")]
    assert ends == [
        ("model_finished", "cancelled"),
        ("turn_finished", "cancelled"),
        ("run_finished", "cancelled"),
    ]


async def test_a_reader_that_leaves_ends_the_model_before_the_wraps_around_it(
    manager: HookManager, policy: Policy
) -> None:
    log: list[str] = []

    async def turn(request: Any) -> AsyncIterator[Any]:
        try:
            yield TextChunk("hel")
            yield ModelResponse("hello")
        finally:
            log.append("model")

    def plain(ctx: Any, call_next: Any) -> Any:
        try:
            yield
        finally:
            log.append("plain")

    async def streaming(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        try:
            async for event in call_next():
                yield event
        finally:
            log.append("streaming")

    policy("wrap_model_call", plain, name="plain", priority=2)
    policy("wrap_model_call", streaming, name="streaming", priority=1)
    policy("wrap_model_call", plain, name="outermost", priority=0)
    stream = Agent("a", ScriptedModel([turn]), hooks=manager).stream("hi")
    async for event in stream:
        if event.type == EventType.TEXT:
            break
    await stream.aclose()
    assert log == ["model", "plain", "streaming", "plain"]


async def test_a_stream_that_nobody_holds_any_more_is_cancelled(manager: HookManager) -> None:
    model = Chunked(SPLIT)
    agent = Agent("a", model, hooks=manager)
    stream = agent.stream("hi")
    for _ in range(2):
        await anext(stream)
    del stream
    for _ in range(20):
        gc.collect()
        await asyncio.sleep(0.005)
    assert (model.closed, agent.active_sessions) == (True, ())


async def test_a_request_that_runs_out_of_time_is_cancelled(manager: HookManager) -> None:
    async def hang(request: Any) -> Any:
        await asyncio.Event().wait()

    agent = Agent("a", ScriptedModel([hang, "hello"]), hooks=manager)
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(agent.run("hi", "s"), 0.01)
    assert agent.active_sessions == ()
    assert (await agent.run("again", "s")).output == "hello"


async def test_the_model_waits_for_a_slow_reader(manager: HookManager) -> None:
    model = Chunked(SPLIT)
    stream = Agent("a", model, hooks=manager).stream("hi")
    for _ in range(2):  # model_started, the first text
        await anext(stream)
    await asyncio.sleep(0.01)
    assert model.sent == 1
    await stream.aclose()


async def test_a_stream_without_a_response_is_an_error(manager: HookManager) -> None:
    async def turn(request: Any) -> AsyncIterator[Any]:
        yield TextChunk("hello")

    agent = Agent("a", ScriptedModel([turn]), hooks=manager)
    with pytest.raises(AgentProtocolError, match="ended without a response"):
        await agent.run("hi")


async def test_an_event_after_the_response_is_an_error(manager: HookManager) -> None:
    async def turn(request: Any) -> AsyncIterator[Any]:
        yield ModelResponse("hello")
        yield TextChunk("more")

    agent = Agent("a", ScriptedModel([turn]), hooks=manager)
    with pytest.raises(AgentProtocolError, match="sent TextChunk after its response"):
        await agent.run("hi")


async def test_a_wrap_that_adds_something_after_the_response_is_an_error(
    manager: HookManager, policy: Policy
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            yield event
        yield TextChunk("more")

    policy("wrap_model_call", wrap)
    with pytest.raises(AgentProtocolError, match="after the response"):
        await Agent("a", ScriptedModel(["hello"]), hooks=manager).run("hi")


async def test_usage_reaches_the_result_and_the_end_of_the_call(
    manager: HookManager, policy: Policy
) -> None:
    seen: list[Any] = []
    policy("model_finished", lambda ctx: seen.append(ctx.usage))
    turn = ModelResponse("hello", usage={"total_tokens": 7})
    result = await Agent("a", ScriptedModel([turn]), hooks=manager).run("hi")
    assert (seen, result.usage) == ([{"total_tokens": 7}], {"total_tokens": 7})


async def test_a_script_that_has_ended_says_so(manager: HookManager) -> None:
    with pytest.raises(Exception, match="no further turn"):
        await Agent("a", ScriptedModel([]), hooks=manager).run("hi")


async def test_a_scripted_text_is_the_same_in_pieces_and_as_a_whole(manager: HookManager) -> None:
    text = "  two\n words,  three "
    agent = Agent("a", ScriptedModel([text]), hooks=manager)
    pieces = await texts_of(agent)
    assert (len(pieces), "".join(pieces)) == (3, text)
    assert agent.session("s").messages[-1].content == text


async def test_a_script_may_be_a_generator_of_events(manager: HookManager) -> None:
    async def turn() -> AsyncIterator[Any]:
        yield "hel"
        yield TextChunk("lo")
        yield ModelResponse("hello")

    agent = Agent("a", ScriptedModel([turn]), hooks=manager)
    assert await texts_of(agent) == ["hel", "lo"]
