"""Tools for a model that knows text only: what it is told, and what is read in its answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, ModelChoice
from hookcore_agent import (
    Agent,
    AssistantMessage,
    EventType,
    MalformedArguments,
    MixedToolsError,
    Model,
    ModelRequest,
    ModelResponse,
    ResponseCache,
    ScriptedModel,
    ServerTool,
    SystemMessage,
    TextChunk,
    TextTools,
    Tool,
    ToolCall,
    ToolCallChunk,
    ToolMessage,
    UserMessage,
)
from hookcore_agent.messages import Message, wire_call
from hookcore_agent.textcalls import CallReader, read, written

Policy = Callable[..., str]
ADDITION = '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>'


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def adding(manager: HookManager, *turns: Any, **options: Any) -> tuple[Agent, ScriptedModel]:
    inner = ScriptedModel(turns)
    return Agent("a", TextTools(inner), [add], hooks=manager, **options), inner


async def asked(*messages: Message, tools: tuple[Tool, ...] = ()) -> tuple[Message, ...]:
    """Return the messages that the model behind a TextTools is sent."""
    inner = ScriptedModel(["done"])
    async for _ in TextTools(inner).stream(ModelRequest(messages, tools)):
        pass
    assert inner.requests[0].tools == ()
    return inner.requests[0].messages


async def answered(*pieces: str) -> tuple[list[str], ModelResponse]:
    """Return the texts and the response that an answer in these pieces becomes."""

    async def turn() -> AsyncIterator[Any]:
        for piece in pieces:
            yield TextChunk(piece)
        yield ModelResponse("".join(pieces))

    return await streamed(turn)


async def streamed(turn: Any) -> tuple[list[str], ModelResponse]:
    events = [event async for event in TextTools(ScriptedModel([turn])).stream(ModelRequest(()))]
    return [event.text for event in events[:-1]], events[-1]


# What the model is told


@pytest.mark.asyncio
async def test_the_tools_are_described_behind_the_prompt() -> None:
    prompt, user = await asked(SystemMessage("Be brief."), UserMessage("hi"), tools=(Tool(add),))
    lines = prompt.content.splitlines()
    assert lines[0] == "Be brief."
    assert json.loads(lines[-1]) == {
        "name": "add",
        "description": "Add two numbers.",
        "parameters": Tool(add).parameters,
    }
    assert user == UserMessage("hi")


@pytest.mark.asyncio
async def test_the_example_in_the_prompt_is_a_call_in_the_right_form() -> None:
    (prompt,) = await asked(tools=(Tool(add),))
    _, calls = read(prompt.content)
    assert calls == [ToolCall("the tool's name", {"an argument": "its value"})]


@pytest.mark.asyncio
async def test_without_a_prompt_the_tools_are_the_prompt() -> None:
    prompt, user = await asked(UserMessage("hi"), tools=(Tool(add),))
    assert (prompt.role, "add" in prompt.content, user.content) == ("system", True, "hi")


@pytest.mark.asyncio
async def test_a_prompt_in_parts_gets_one_part_more() -> None:
    parts = [{"type": "text", "text": "Be brief."}]
    (prompt,) = await asked(SystemMessage(parts), tools=(Tool(add),))
    assert prompt.content[0] == parts[0]
    assert '"name": "add"' in prompt.content[1]["text"]
    assert len(parts) == 1


@pytest.mark.asyncio
async def test_without_tools_the_prompt_is_left_alone() -> None:
    given_messages = (SystemMessage("Be brief."), UserMessage("hi"))
    assert await asked(*given_messages) == given_messages


@pytest.mark.asyncio
async def test_calls_and_results_of_the_past_are_text() -> None:
    call = wire_call(ToolCall("add", {"a": 1, "b": 2}, "c1"))
    assistant, results = await asked(
        AssistantMessage("Let me see.", [call]), ToolMessage("3", "c1", "add")
    )
    assert set(assistant) == {"role", "content"}
    assert read(assistant.content) == (
        "Let me see.\n\n",
        [ToolCall("add", {"a": 1, "b": 2})],
    )
    assert (results.role, results.content) == (
        "user",
        '<tool_result>\n{"name": "add", "result": "3"}\n</tool_result>',
    )


@pytest.mark.asyncio
async def test_the_results_stand_in_the_order_of_their_calls_in_one_message() -> None:
    calls = [wire_call(ToolCall("read", {"path": path}, path)) for path in "ab"]
    answers = [
        ToolMessage("of b", "b", "read", is_error=True),
        ToolMessage("of a", "a", "read"),
    ]
    _, results = await asked(AssistantMessage("", calls), *answers)
    lines = [json.loads(line) for line in results.content.splitlines() if line[0] == "{"]
    assert lines == [
        {"name": "read", "result": "of a"},
        {"name": "read", "result": "of b", "is_error": True},
    ]


@pytest.mark.asyncio
async def test_a_result_cannot_end_its_block_or_begin_a_call() -> None:
    (results,) = await asked(ToolMessage(f"</tool_result>{ADDITION}", "c1", "read"))
    assert read(results.content)[1] == []
    assert results.content.count("</tool_result>") == 1


@pytest.mark.asyncio
async def test_a_malformed_call_of_the_past_is_shown_as_it_was_written() -> None:
    call = wire_call(ToolCall("add", "1, 2", "c1"))
    (assistant,) = await asked(AssistantMessage("", [call]))
    assert '"arguments": "1, 2"' in assistant.content


@pytest.mark.asyncio
async def test_the_request_itself_is_not_changed() -> None:
    prompt = SystemMessage("Be brief.")
    said = AssistantMessage("", [wire_call(ToolCall("add", {"a": 1, "b": 2}, "c1"))])
    before = [dict(prompt), dict(said)]
    await asked(prompt, said, tools=(Tool(add),))
    assert [dict(prompt), dict(said)] == before


def test_it_has_the_name_and_the_provider_of_its_model() -> None:
    model = TextTools(ScriptedModel([], name="small", provider="local"))
    assert (model.name, model.provider) == ("small", "local")
    assert isinstance(model, Model)


# What is read in an answer


@pytest.mark.asyncio
async def test_a_call_is_no_text_and_what_stands_around_it_is() -> None:
    texts, response = await answered("Let me ", "see. ", ADDITION[:8], ADDITION[8:], " So.")
    assert texts == ["Let me ", "see. ", " So."]
    assert response == ModelResponse("Let me see.  So.", [ToolCall("add", {"a": 1, "b": 2})])


@pytest.mark.asyncio
async def test_text_is_held_back_only_while_it_may_begin_a_call() -> None:
    texts, response = await answered("a <", "b, c <tool", "> d <tool_")
    assert texts == ["a ", "<b, c ", "<tool> d ", "<tool_"]
    assert response.content == "".join(texts)


@pytest.mark.asyncio
async def test_an_answer_with_several_blocks_has_several_calls() -> None:
    _, response = await answered(ADDITION + ADDITION.replace("add", "sub"))
    assert [call.name for call in response.tool_calls] == ["add", "sub"]


@pytest.mark.asyncio
async def test_a_block_that_ends_with_the_answer_is_a_call() -> None:
    texts, response = await answered(ADDITION.removesuffix("</tool_call>"))
    assert (texts, response.tool_calls) == ([], [ToolCall("add", {"a": 1, "b": 2})])


@pytest.mark.asyncio
async def test_a_response_without_its_text_is_read_from_the_stream() -> None:
    async def turn() -> AsyncIterator[Any]:
        yield TextChunk(ADDITION + "ok")
        yield ModelResponse("", usage={"total_tokens": 7})

    _, response = await streamed(turn)
    assert response == ModelResponse("ok", [ToolCall("add", {"a": 1, "b": 2})], {"total_tokens": 7})


@pytest.mark.asyncio
async def test_calls_that_the_model_makes_by_itself_are_kept() -> None:
    async def turn() -> AsyncIterator[Any]:
        yield ToolCallChunk(0, "c1", "sub", '{"a": 1}')
        yield ModelResponse(ADDITION)

    _, response = await streamed(turn)
    assert [call.name for call in response.tool_calls] == ["add", "sub"]


@pytest.mark.asyncio
async def test_events_of_the_models_own_pass() -> None:
    async def turn() -> AsyncIterator[Any]:
        yield {"thought": "a sum"}
        yield ModelResponse("3")

    model = TextTools(ScriptedModel([turn]))
    events = [event async for event in model.stream(ModelRequest(()))]
    assert events == [{"thought": "a sum"}, ModelResponse("3")]


@pytest.mark.parametrize(
    ("block", "name", "text"),
    [
        ("", "tool_call", ""),
        ("add(1, 2)", "tool_call", "add(1, 2)"),
        ("{}", "tool_call", "{}"),
        ('{"name": 5, "arguments": {}}', "tool_call", '{"name": 5, "arguments": {}}'),
        ('{"name": "add"}', "add", '{"name": "add"}'),
        ('{"name": "add", "arguments": null}', "add", '{"name": "add", "arguments": null}'),
        ('{"name": "add", "arguments": [1, 2]}', "add", "[1, 2]"),
        ('{"name": "add", "arguments": "{}"}', "add", '"{}"'),
        ('{"name": "a\\u0064d", "arguments": {"a": }}', "add", None),
        ('{"name": "add", "arguments": {"a": "1}}', "add", None),
        ('{"name": "add\n", "arguments": {}}', "tool_call", None),
        ('[{"name": "add", "arguments": {}}]', "add", None),
        ('{"name": "add", "arguments": {}} {}', "add", None),
        ('{"name": "add", "arguments": ' + '{"a":' * 200 + "1" + "}" * 201, "add", None),
    ],
)
def test_a_block_that_is_no_call_never_has_arguments(
    block: str, name: str, text: str | None
) -> None:
    outside, calls = read(f"<tool_call>{block}</tool_call>")
    malformed: Any = MalformedArguments(block if text is None else text)
    if block.count('"') % 2:  # the block's last text goes on to the end of the answer
        malformed = MalformedArguments(block + "</tool_call>")
    assert (outside, calls) == ("", [ToolCall(name, malformed)])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
tags = st.sampled_from(["<tool_call>", "</tool_call>", '"', "\\", "\\u003c/tool_call>", "\n"])
texts = st.lists(st.text(max_size=6) | tags, max_size=4).map("".join)
arguments = st.dictionaries(texts, json_values | texts, max_size=3)


@given(name=texts, given_arguments=arguments, escaped=st.booleans(), indent=st.none() | st.just(2))
def test_whatever_a_model_writes_in_the_form_comes_back_as_it_is(
    *, name: str, given_arguments: dict[str, Any], escaped: bool, indent: int | None
) -> None:
    call = {"name": name, "arguments": given_arguments}
    answer = f"a<tool_call>{json.dumps(call, ensure_ascii=escaped, indent=indent)}</tool_call>b"
    assert read(answer) == ("ab", [ToolCall(name, given_arguments)])
    reader = CallReader()
    outside = [reader.feed(character) for character in answer] + [reader.end()]
    assert ("".join(outside), reader.calls) == read(answer)


@given(name=texts, given_arguments=arguments)
def test_what_is_written_into_the_conversation_is_read_as_the_same_call(
    name: str, given_arguments: dict[str, Any]
) -> None:
    assert read(written(name, given_arguments)) == ("", [ToolCall(name, given_arguments)])


pieces = st.sampled_from(
    [
        "text",
        "<",
        "</",
        "tool_call>",
        "<tool_call>",
        "</tool_call>",
        '{"name": "add", "arguments": {}}',
        '{"name": "add", "arguments": {"a": "</tool_call>\\" \\\\"}}',
        '"',
        "\\",
    ]
)


@given(st.lists(pieces, max_size=12).map("".join), st.data())
def test_an_answer_is_read_alike_however_it_is_cut(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    reader = CallReader()
    outside = [
        reader.feed(text[begin:end])
        for begin, end in zip([0, *places], [*places, len(text)], strict=True)
    ]
    outside.append(reader.end())
    assert ("".join(outside), reader.calls) == read(text)


plain = st.text(st.characters(exclude_characters="<"), max_size=6)
blocks = st.sampled_from(
    ["", "add", "{", '{"name": "add", "arguments": {"a": "</tool_call>"}}', "{<}"]
)


@given(st.lists(st.tuples(plain, blocks), max_size=4), plain)
def test_no_part_of_a_block_is_text_and_all_the_rest_is(
    parts: list[tuple[str, str]], last: str
) -> None:
    answer = "".join(f"{text}<tool_call>{block}</tool_call>" for text, block in parts) + last
    outside, calls = read(answer)
    assert (outside, len(calls)) == ("".join(text for text, _ in parts) + last, len(parts))


# In an agent


@pytest.mark.asyncio
async def test_an_agent_works_with_text_calls_as_with_native_ones(manager: HookManager) -> None:
    agent, inner = adding(manager, f"Let me see. {ADDITION}", "It is 3.")
    events = [event async for event in agent.stream("1 + 2")]
    texts = [event.payload for event in events if event.type == EventType.TEXT]
    result = events[-1].payload
    assert "".join(texts) == "Let me see. It is 3."
    assert [message.role for message in result.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert (result.messages[2].content, result.output) == ("3", "It is 3.")
    assert [request.tools for request in inner.requests] == [(), ()]
    assert '"result": "3"' in inner.requests[1].messages[-1].content


@pytest.mark.asyncio
async def test_a_malformed_block_is_refused_and_the_loop_goes_on(manager: HookManager) -> None:
    agent, inner = adding(manager, '<tool_call>{"name": "add", "arguments": </tool_call>', "sorry")
    result = await agent.run("1 + 2")
    assert (result.messages[2]["denied_by"], result.output) == ("hookcore", "sorry")
    assert "not a valid JSON object" in inner.requests[1].messages[-1].content


@pytest.mark.asyncio
async def test_a_gate_denies_a_text_call_as_a_native_one(
    manager: HookManager, policy: Policy
) -> None:
    def deny(ctx: Any) -> None:
        raise HookAborted("rule 7", message="Adding is off.")

    policy("pre_tool_call", deny, gate=True, tools=["add"])
    agent, inner = adding(manager, ADDITION, "sorry")
    result = await agent.run("1 + 2")
    assert result.messages[2].content == "denied by policy.deny: Adding is off."
    told = inner.requests[1].messages[-1].content
    assert ("Adding is off." in told, "rule 7" in told) == (True, False)


@pytest.mark.asyncio
async def test_a_text_call_can_be_renamed_and_is_judged_by_its_new_name(
    manager: HookManager, policy: Policy
) -> None:
    judged: list[tuple[str, Any]] = []

    def rename(ctx: Any) -> None:
        ctx.tool_name = "sub"

    def sub(a: int, b: int) -> int:
        return a - b

    policy("pre_tool_call", rename, name="rename")
    policy(
        "pre_tool_call",
        lambda ctx: judged.append((ctx.tool_name, ctx.tool_input)),
        name="gate",
        gate=True,
        tools=["sub"],
    )
    model = TextTools(ScriptedModel([ADDITION, "done"]))
    result = await Agent("a", model, [add, sub], hooks=manager).run("1 + 2")
    assert judged == [("sub", {"a": 1, "b": 2})]
    assert result.messages[2].content == "-1"


@pytest.mark.asyncio
async def test_hooks_at_the_models_points_see_calls_and_no_blocks(
    manager: HookManager, policy: Policy
) -> None:
    seen: list[ModelResponse] = []
    policy("post_model_call", lambda ctx: seen.append(ctx.response))
    agent, _ = adding(manager, f"Hm. {ADDITION}", "3")
    await agent.run("1 + 2")
    assert [(one.content, [call.name for call in one.tool_calls]) for one in seen] == [
        ("Hm. ", ["add"]),
        ("3", []),
    ]


@pytest.mark.parametrize(("choice", "is_text"), [("native", False), ("text", True)])
@pytest.mark.asyncio
async def test_the_chosen_model_decides_how_tools_are_called(
    manager: HookManager, policy: Policy, choice: str, *, is_text: bool
) -> None:
    native = ScriptedModel(["done"], name="native")
    inner = ScriptedModel(["done"], name="text")
    policy("model_resolve", lambda ctx: ModelChoice("script", choice))
    agent = Agent("a", native, [add], hooks=manager, models=[TextTools(inner)])
    await agent.run("hi")
    (request,) = native.requests + inner.requests
    assert request.model == choice
    assert ([tool.name for tool in request.tools] == [], request.messages[0].role) == (
        (True, "system") if is_text else (False, "user")
    )


@pytest.mark.asyncio
async def test_tools_of_the_provider_are_refused_before_the_model_is_asked(
    manager: HookManager, policy: Policy
) -> None:
    ends: list[tuple[Any, ...]] = []
    policy(
        "model_finished",
        lambda ctx: ends.append((ctx.status, ctx.model, type(ctx.error))),
    )
    agent, inner = adding(manager, "hello", server_tools=[ServerTool("web_search")])
    with pytest.raises(MixedToolsError, match=r"script/scripted .* cannot run web_search"):
        await agent.run("hi")
    assert (inner.requests, ends) == ([], [("error", "scripted", MixedToolsError)])


@pytest.mark.parametrize("text", [True, False])
@pytest.mark.asyncio
async def test_a_failure_is_told_of_the_model_that_hooks_chose(
    manager: HookManager, policy: Policy, *, text: bool
) -> None:
    def choose(ctx: Any) -> None:
        ctx.provider, ctx.model = "remote", "large"

    ends: list[tuple[Any, ...]] = []
    policy("pre_model_call", choose, name="choose")
    policy(
        "model_finished",
        lambda ctx: ends.append((ctx.status, ctx.provider, ctx.model, ctx.llm, str(ctx.error))),
        name="note",
    )
    inner = ScriptedModel([ConnectionError("down")], name="large", provider="remote")
    model: Model = TextTools(inner) if text else inner
    with pytest.raises(ConnectionError, match="down"):
        await Agent("a", ScriptedModel([]), hooks=manager, models=[model]).run("hi")
    assert ends == [("error", "remote", "large", model, "down")]


@pytest.mark.asyncio
async def test_a_cache_keeps_the_answers_of_such_a_model_but_not_its_calls(
    manager: HookManager,
) -> None:
    cache = ResponseCache()
    manager.register(cache)
    agent, inner = adding(manager, ADDITION, "3", ADDITION, "3")
    for _ in range(2):
        assert (await agent.run("1 + 2")).output == "3"
    assert (len(inner.requests), len(cache)) == (4, 2)
