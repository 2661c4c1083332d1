"""The cache of answers: what is the same request, what is kept, and who judges it again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, ModelCallContext, ModelChoice
from hookcore_agent import (
    Agent,
    AgentProtocolError,
    EventType,
    ModelResponse,
    ResponseCache,
    ScriptedModel,
    ServerTool,
    TextChunk,
    Tool,
    ToolCall,
    ToolCallChunk,
)

Policy = Callable[..., str]
COUNTS = {"total_tokens": 7}


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Echo:
    """A model that answers each request with its last message, and counts the requests."""

    def __init__(self, name: str = "echo") -> None:
        self.name, self.provider = name, "test"
        self.asked: list[str] = []

    async def stream(self, request: Any) -> AsyncIterator[Any]:
        text = str(request.messages[-1].content)
        self.asked.append(text)
        for piece in (text[:1], text[1:]):
            if piece:
                yield TextChunk(piece)
        yield ModelResponse(text, usage=dict(COUNTS))


@pytest.fixture
def cache(manager: HookManager) -> ResponseCache:
    """Return a cache that is registered with the manager."""
    made = ResponseCache()
    manager.register(made, name="cache")
    return made


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


# What is kept, and what a hit gives


@pytest.mark.asyncio
async def test_the_same_request_is_answered_without_asking_the_model_again(
    manager: HookManager, cache: ResponseCache
) -> None:
    model = Echo()
    agent = Agent("a", model, hooks=manager)
    outputs = [(await agent.run("hello")).output for _ in range(3)]
    assert (outputs, model.asked, len(cache)) == (["hello"] * 3, ["hello"], 1)


@pytest.mark.asyncio
async def test_a_hit_is_streamed_as_text_and_the_same_response(
    manager: HookManager, cache: ResponseCache
) -> None:
    agent = Agent("a", Echo(), hooks=manager)
    await agent.run("hello")
    events = [(event.type, event.payload) async for event in agent.stream("hello")]
    assert [event for event in events if event[0] != EventType.RUN_COMPLETED] == [
        (EventType.MODEL_STARTED, None),
        (EventType.TEXT, "hello"),
        (EventType.MODEL_COMPLETED, ModelResponse("hello")),
    ]


@pytest.mark.asyncio
async def test_a_hit_costs_nothing(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    ends: list[Any] = []
    policy("model_finished", lambda ctx: ends.append((ctx.status, ctx.entered, ctx.usage)))
    agent = Agent("a", Echo(), hooks=manager)
    usages = [(await agent.run("hello")).usage for _ in range(2)]
    assert usages == [COUNTS, {}]
    assert ends == [("ok", True, COUNTS), ("ok", False, None)]


@pytest.mark.asyncio
async def test_nothing_is_announced_as_sent_on_a_hit(
    manager: HookManager, cache: ResponseCache, points: list[tuple[str, Any]]
) -> None:
    agent = Agent("a", Echo(), hooks=manager)
    for _ in range(2):
        await agent.run("hello")
    fired = [name for name, _ in points]
    assert (fired.count("model_input"), fired.count("model_output")) == (1, 2)


@pytest.mark.asyncio
async def test_what_a_hook_does_to_an_answer_stays_out_of_the_cache(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    seen: list[str] = []

    def edit(ctx: Any) -> None:
        seen.append(ctx.response.content)
        ctx.response.content += "!"

    async def spoil(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next():
            if isinstance(event, ModelResponse):
                event.content += "?"
            yield event

    policy("post_model_call", edit, name="edit")
    policy("wrap_model_call", spoil, name="spoil")
    agent = Agent("a", Echo(), hooks=manager)
    outputs = [(await agent.run("hello")).output for _ in range(3)]
    assert (seen, outputs) == (["hello?"] * 3, ["hello?!"] * 3)


@pytest.mark.asyncio
async def test_an_answer_that_asks_for_tools_is_not_kept(
    manager: HookManager, cache: ResponseCache
) -> None:
    call = ToolCall("add", {"a": 1, "b": 2}, "c1")
    model = ScriptedModel([[call], "three", [call]])
    agent = Agent("a", model, [add], hooks=manager)
    for _ in range(2):
        assert (await agent.run("1 + 2")).output == "three"
    assert (len(model.requests), len(cache)) == (3, 1)


@pytest.mark.asyncio
async def test_an_answer_whose_calls_came_in_pieces_is_not_kept(
    manager: HookManager, cache: ResponseCache
) -> None:
    async def turn() -> AsyncIterator[Any]:
        yield ToolCallChunk(0, "c1", "add", '{"a": 1, "b": 2}')
        yield ModelResponse("")

    await Agent("a", ScriptedModel([turn, "three"]), [add], hooks=manager).run("1 + 2")
    assert len(cache) == 1


@pytest.mark.asyncio
async def test_a_stream_that_breaks_off_leaves_nothing(
    manager: HookManager, cache: ResponseCache
) -> None:
    async def turn() -> AsyncIterator[Any]:
        yield TextChunk("hel")
        raise ConnectionError("cut off")

    agent = Agent("a", ScriptedModel([turn, "hello"]), hooks=manager)
    with pytest.raises(ConnectionError):
        await agent.run("hi")
    assert len(cache) == 0
    assert (await agent.run("hi")).output == "hello"


@pytest.mark.asyncio
async def test_a_stream_with_something_after_its_response_leaves_nothing(
    manager: HookManager, cache: ResponseCache
) -> None:
    async def turn() -> AsyncIterator[Any]:
        yield ModelResponse("hello")
        yield TextChunk("more")

    with pytest.raises(AgentProtocolError):
        await Agent("a", ScriptedModel([turn]), hooks=manager).run("hi")
    assert len(cache) == 0


@pytest.mark.asyncio
async def test_a_reader_that_leaves_keeps_the_half_answer_out(
    manager: HookManager, cache: ResponseCache
) -> None:
    model = Echo()
    agent = Agent("a", model, hooks=manager)
    stream = agent.stream("hello")
    async for event in stream:
        if event.type == EventType.TEXT:
            break
    await stream.aclose()
    assert len(cache) == 0
    assert (await agent.run("hello")).output == "hello"
    assert len(model.asked) == 2


@pytest.mark.asyncio
async def test_a_stream_with_events_of_the_models_own_is_not_kept(
    manager: HookManager, cache: ResponseCache
) -> None:
    async def turn() -> AsyncIterator[Any]:
        yield {"thought": "a greeting"}
        yield ModelResponse("hello")

    await Agent("a", ScriptedModel([turn]), hooks=manager).run("hi")
    assert len(cache) == 0


@pytest.mark.asyncio
async def test_a_stream_that_told_another_text_than_its_response_is_not_kept(
    manager: HookManager, cache: ResponseCache
) -> None:
    async def turn() -> AsyncIterator[Any]:
        yield TextChunk("bonjour")
        yield ModelResponse("hello")

    await Agent("a", ScriptedModel([turn]), hooks=manager).run("hi")
    assert len(cache) == 0


# What is the same request


async def asked_twice(manager: HookManager, first: Agent, second: Agent) -> int:
    """Ask both agents the same and return how many answers had to be made."""
    cache = ResponseCache()
    manager.register(cache)
    for agent in (first, second):
        await agent.run("hello")
    return len(cache)


@pytest.mark.parametrize(
    "options",
    [
        {"instructions": "Be brief."},
        {"tools": [add]},
        {"tools": [Tool(add, description="Sum up.")]},
        {"tools": [Tool(add, name="plus")]},
        {"tools": [Tool(lambda a: a, name="add", description="Add two numbers.")]},
        {"server_tools": ["search"]},
        {"server_tools": [ServerTool("search", {"region": "eu"})]},
    ],
)
@pytest.mark.asyncio
async def test_what_else_the_model_is_sent_makes_it_another_request(
    manager: HookManager, options: dict[str, Any]
) -> None:
    model = Echo()
    agents = [Agent("a", model, hooks=manager), Agent("a", model, hooks=manager, **options)]
    assert await asked_twice(manager, *agents) == 2


@pytest.mark.asyncio
async def test_a_tools_schema_is_part_of_the_request(manager: HookManager) -> None:
    def other(a: str, b: str) -> str:
        return a + b

    model = Echo()
    tools = [Tool(add), Tool(other, name="add", description="Add two numbers.")]
    agents = [Agent("a", model, [item], hooks=manager) for item in tools]
    assert await asked_twice(manager, *agents) == 2


@pytest.mark.asyncio
async def test_the_options_of_the_providers_tools_are_part_of_the_request(
    manager: HookManager,
) -> None:
    model = Echo()
    tools = [ServerTool("search", {"region": region}) for region in ("eu", "us")]
    agents = [Agent("a", model, server_tools=[item], hooks=manager) for item in tools]
    assert await asked_twice(manager, *agents) == 2


@pytest.mark.asyncio
async def test_agents_with_one_model_share_their_answers(manager: HookManager) -> None:
    model = Echo()
    agents = [Agent(name, model, [add], hooks=manager) for name in "ab"]
    assert await asked_twice(manager, *agents) == 1


@pytest.mark.asyncio
async def test_two_models_of_one_name_do_not_share_answers(manager: HookManager) -> None:
    agents = [Agent("a", Echo(), hooks=manager) for _ in range(2)]
    assert await asked_twice(manager, *agents) == 2


@pytest.mark.asyncio
async def test_the_model_that_a_policy_chose_is_part_of_the_request(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    choices = iter(["echo", "other", "other"])

    def choose(ctx: Any) -> ModelChoice:
        return ModelChoice("test", next(choices))

    policy("model_resolve", choose)
    first, second = Echo(), Echo("other")
    agent = Agent("a", first, hooks=manager, models=[second])
    for _ in range(3):
        await agent.run("hello")
    assert (first.asked, second.asked) == (["hello"], ["hello"])


@pytest.mark.asyncio
async def test_messages_that_a_wrap_changes_are_another_request(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    names = iter(["Ana", "Ben", "Ana"])

    async def sign(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        content = f"{ctx.payload[0]['content']} from {next(names)}"
        async for event in call_next([{"role": "user", "content": content}]):
            yield event

    policy("wrap_model_call", sign)
    model = Echo()
    agent = Agent("a", model, hooks=manager)
    outputs = [(await agent.run("hello")).output for _ in range(3)]
    assert outputs == ["hello from Ana", "hello from Ben", "hello from Ana"]
    assert model.asked == outputs[:2]


@pytest.mark.asyncio
async def test_a_request_that_is_no_json_is_not_kept(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    policy("pre_model_call", lambda ctx: ctx.messages[-1].update(content=object()))
    model = ScriptedModel(["one", "two"])
    agent = Agent("a", model, hooks=manager)
    assert [(await agent.run("hi")).output for _ in range(2)] == ["one", "two"]
    assert len(cache) == 0


@pytest.mark.asyncio
async def test_texts_that_only_look_alike_are_two_requests(
    manager: HookManager, cache: ResponseCache
) -> None:
    agent = Agent("a", Echo(), hooks=manager)
    for text in ("\U00010000", "\ud800\udc00"):
        assert (await agent.run(text)).output == text
    assert len(cache) == 2


# Where it stands


@pytest.mark.asyncio
async def test_a_hook_nearer_to_the_model_puts_the_cache_out_of_use(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    names = iter(["Ana", "Ben"])

    async def sign(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        async for event in call_next([{"role": "user", "content": next(names)}]):
            yield event

    policy("wrap_model_call", sign, trylast=True)
    agent = Agent("a", Echo(), hooks=manager)
    assert [(await agent.run("hello")).output for _ in range(2)] == ["Ana", "Ben"]
    assert len(cache) == 0


@pytest.mark.asyncio
async def test_a_hook_for_another_agent_leaves_the_cache_in_use(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    async def wrap(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        raise AssertionError("not this agent")
        yield

    policy("wrap_model_call", wrap, trylast=True, agents=["b"])
    model = Echo()
    agent = Agent("a", model, hooks=manager)
    for _ in range(2):
        await agent.run("hello")
    assert model.asked == ["hello"]


@pytest.mark.asyncio
async def test_as_an_extension_it_stands_within_the_agents_other_extensions(
    manager: HookManager, policy: Policy
) -> None:
    from hookcore_agent.lifecycle import Extension

    asked: list[str] = []

    class Around(Extension):
        async def on_model_request(
            self, context: Any, request: Any, call_next: Any
        ) -> AsyncIterator[Any]:
            asked.append("around")
            async for event in call_next(request):
                yield event

    model = Echo()
    agent = Agent("a", model, extensions=[ResponseCache(), Around()], hooks=manager)
    for _ in range(2):
        await agent.run("hello")
    assert (asked, model.asked) == (["around", "around"], ["hello"])


@pytest.mark.asyncio
async def test_a_sub_agents_answers_are_kept_too(
    manager: HookManager, cache: ResponseCache
) -> None:
    model = Echo()
    calls = [ToolCall("helper", {"text": "hello"}, f"c{n}") for n in range(2)]
    script = ScriptedModel([[call] for call in calls] + ["done"])
    result = await Agent("a", script, [Agent("helper", model)], hooks=manager).run("go")
    answers = [message.content for message in result.messages if message.role == "tool"]
    assert (answers, model.asked) == (["hello", "hello"], ["hello"])


@pytest.mark.asyncio
async def test_a_host_that_is_no_agent_is_let_pass(
    manager: HookManager, cache: ResponseCache
) -> None:
    async def call(messages: list[Any]) -> AsyncIterator[Any]:
        yield ModelResponse("hello")

    for _ in range(2):
        stream = manager.astream_model(ModelCallContext(messages=[]), call)
        assert [event async for event in stream] == [ModelResponse("hello")]
    assert len(cache) == 0


@pytest.mark.asyncio
async def test_a_model_call_that_a_tool_makes_by_itself_is_let_pass(
    manager: HookManager, cache: ResponseCache
) -> None:
    async def call(messages: list[Any]) -> AsyncIterator[Any]:
        yield ModelResponse("of the tool")

    async def think() -> str:
        ctx = ModelCallContext(messages=[], model="scripted", provider="script", tools=[])
        return "".join([event.content async for event in manager.astream_model(ctx, call)])

    script = ScriptedModel([[ToolCall("think", {}, "c1")], "done"])
    result = await Agent("a", script, [think], hooks=manager).run("go")
    assert (result.messages[2].content, len(cache)) == ("of the tool", 1)


@pytest.mark.asyncio
async def test_a_model_that_the_agent_lacks_is_an_error_as_without_a_cache(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    def choose(ctx: Any) -> None:
        ctx.model = "other"

    policy("pre_model_call", choose)
    with pytest.raises(AgentProtocolError, match="test/other"):
        await Agent("a", Echo(), hooks=manager).run("hi")


# Policies and hits


@pytest.mark.parametrize("options", [{}, {"gate": True}])
@pytest.mark.asyncio
async def test_policies_judge_an_answer_from_the_cache_like_any_other(
    manager: HookManager, cache: ResponseCache, policy: Policy, options: dict[str, Any]
) -> None:
    agent = Agent("a", Echo(), hooks=manager)
    await agent.run("hello")

    def deny(ctx: Any) -> None:
        raise HookAborted(f"no {ctx.response.content}")

    policy("post_model_call", deny, **options)
    with pytest.raises(HookAborted, match="no hello"):
        await agent.run("hello")


@pytest.mark.asyncio
async def test_an_answer_that_was_withheld_is_judged_anew(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    def deny(ctx: Any) -> None:
        raise HookAborted("no")

    model = Echo()
    agent = Agent("a", model, hooks=manager)
    name = policy("post_model_call", deny, gate=True)
    for _ in range(2):
        with pytest.raises(HookAborted):
            await agent.run("hello")
    manager.unregister(name)
    assert (await agent.run("hello")).output == "hello"
    assert model.asked == ["hello"]


@pytest.mark.asyncio
async def test_a_window_sees_the_text_of_a_hit(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    agent = Agent("a", Echo(), hooks=manager)
    await agent.run("hello")
    policy("post_model_call", lambda ctx: ctx.payload.upper(), stream="window", window=8)
    assert (await agent.run("hello")).output == "HELLO"


@pytest.mark.asyncio
async def test_a_denied_request_beats_a_hit(
    manager: HookManager, cache: ResponseCache, policy: Policy
) -> None:
    agent = Agent("a", Echo(), hooks=manager)
    await agent.run("hello")

    def deny(ctx: Any) -> None:
        raise HookAborted("over budget")

    policy("pre_model_call", deny, gate=True)
    with pytest.raises(HookAborted, match="over budget"):
        await agent.run("hello")


# Bounds


def test_a_cache_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="not for 0"):
        ResponseCache(0)


@pytest.mark.parametrize("ttl", [0, -1.0, float("nan")])
def test_an_answer_that_is_never_good_is_refused(ttl: float) -> None:
    with pytest.raises(ValueError, match="more than 0 seconds"):
        ResponseCache(ttl=ttl)


@pytest.mark.asyncio
async def test_a_cache_can_be_emptied(manager: HookManager, cache: ResponseCache) -> None:
    model = Echo()
    agent = Agent("a", model, hooks=manager)
    await agent.run("hello")
    cache.clear()
    assert len(cache) == 0
    await agent.run("hello")
    assert len(model.asked) == 2


@pytest.mark.asyncio
async def test_the_answer_that_was_not_used_for_longest_goes_first(manager: HookManager) -> None:
    manager.register(ResponseCache(2))
    model = Echo()
    agent = Agent("a", model, hooks=manager)
    for text in "abacab":
        await agent.run(text)
    assert model.asked == ["a", "b", "c", "b"]


@pytest.mark.asyncio
async def test_an_answer_is_good_for_its_seconds_and_a_hit_does_not_add_to_them(
    manager: HookManager,
) -> None:
    clock, model = Clock(), Echo()
    manager.register(ResponseCache(ttl=10.0, clock=clock))
    agent = Agent("a", model, hooks=manager)
    asked = []
    for now in (0.0, 5.0, 9.9, 10.0):
        clock.now = now
        await agent.run("hello")
        asked.append(len(model.asked))
    assert asked == [1, 1, 1, 2]


@given(
    entries=st.integers(1, 3),
    steps=st.lists(st.sampled_from("abcd") | st.integers(1, 12), max_size=25),
)
def test_the_most_recently_used_answers_are_kept_for_as_long_as_they_are_good(
    entries: int, steps: list[Any]
) -> None:
    clock, model, manager = Clock(), Echo(), HookManager()
    cache = ResponseCache(entries, ttl=10.0, clock=clock)
    manager.register(cache)
    agent = Agent("a", model, hooks=manager)

    async def play() -> list[str]:
        wanted: list[str] = []
        kept: dict[str, float] = {}
        for step in steps:
            if isinstance(step, int):
                clock.now += step
                continue
            assert (await agent.run(step)).output == step
            since = kept.pop(step, None)
            if since is None or clock.now - since >= 10.0:
                wanted.append(step)
                since = clock.now
            kept[step] = since
            while len(kept) > entries:
                del kept[next(iter(kept))]
            assert len(cache) <= entries
        return wanted

    assert asyncio.run(play()) == model.asked
    manager.close()


# Many at once


class Slow(Echo):
    """An echo that answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Queue[None]()
        self.go = asyncio.Event()

    async def stream(self, request: Any) -> AsyncIterator[Any]:
        self.begun.put_nowait(None)
        first = True
        async for event in super().stream(request):
            yield event
            if first:
                first = False
                await self.go.wait()


@pytest.mark.asyncio
async def test_equal_requests_at_one_time_each_get_the_whole_answer(
    manager: HookManager, cache: ResponseCache
) -> None:
    model = Slow()
    agent = Agent("a", model, hooks=manager)
    requests = [asyncio.ensure_future(agent.run("hello")) for _ in range(3)]
    for _ in requests:
        await model.begun.get()
    assert len(cache) == 0
    model.go.set()
    assert [(await request).output for request in requests] == ["hello"] * 3
    assert (model.asked, len(cache)) == (["hello"] * 3, 1)
    assert (await agent.run("hello")).output == "hello"
    assert len(model.asked) == 3


@pytest.mark.asyncio
async def test_a_cancelled_request_leaves_the_one_beside_it_to_fill_the_cache(
    manager: HookManager, cache: ResponseCache
) -> None:
    model = Slow()
    agent = Agent("a", model, hooks=manager)
    first, second = [asyncio.ensure_future(agent.run("hello")) for _ in range(2)]
    for _ in range(2):
        await model.begun.get()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert len(cache) == 0
    model.go.set()
    assert ((await second).output, len(cache)) == ("hello", 1)
