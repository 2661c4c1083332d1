from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookManager, ModelResponse, TextChunk, ToolCall, ToolCallChunk, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import SECRET, Office, Recorder, checked

pytestmark = pytest.mark.asyncio


def recorded(*plugins: object) -> tuple[HookManager, Recorder]:
    """Return a manager without a policy that has to judge whole responses."""
    manager, recorder = HookManager(), Recorder()
    for plugin in (*plugins, recorder):
        manager.register(plugin)
    return manager, recorder


async def texts(agent: Any) -> list[str]:
    return [event["data"] async for event in agent.stream_async("hi") if "data" in event]


async def test_another_model_that_a_hook_names_is_refused(script: Any, agent: Any, go: Any) -> None:
    class Other:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            ctx.model = "other"

    manager, _ = checked(Other())
    model = script("done")
    with pytest.raises(PolicyDenied) as caught:
        await go(agent(manager, model), "hi")
    assert "asks only the one that it has" in str(caught.value.__cause__)
    assert model.sent == []


async def test_a_hook_may_drop_the_instructions_and_all_tools(
    script: Any, agent: Any, go: Any
) -> None:
    class Dropping:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> Any:
            ctx.tools = None
            return ctx.messages[1:]

    manager, _ = checked(Dropping())
    model = script("done")
    await go(agent(manager, model, system_prompt="be brief"), "hi")
    (sent,) = model.sent
    assert (sent["system"], sent["blocks"], sent["tools"]) == (None, None, None)


async def test_the_blocks_of_a_system_prompt_are_redacted(script: Any, agent: Any, go: Any) -> None:
    manager, _ = checked()
    model = script("done")
    prompt = [{"text": f"use {SECRET}"}, {"cachePoint": {"type": "default"}}]
    await go(agent(manager, model, system_prompt=prompt), "hi")
    (sent,) = model.sent
    assert sent["system"] == "use [gone]"
    assert sent["blocks"] == [{"text": "use [gone]"}, prompt[1]]


async def test_an_unjudged_stream_passes_in_pieces_and_tells_the_usage(
    script: Any, agent: Any
) -> None:
    used: list[Any] = []

    class Usage:
        @hookimpl
        def model_finished(self, ctx: Any) -> None:
            used.append(ctx.usage)

    manager, recorder = recorded(Usage())
    assert await texts(agent(manager, script("one two three"))) == ["one ", "two ", "three "]
    assert recorder.statuses("model_finished") == ["ok"]
    assert used == [{"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}]


async def test_a_window_rewrites_what_is_streamed(script: Any, agent: Any) -> None:
    class Window:
        @hookimpl(stream="window", window=12)
        def post_model_call(self, ctx: Any) -> Any:
            return ctx.response.replace("two three", "2 3")

    manager, _ = recorded(Window())
    made = agent(manager, script("one two three four"))
    assert "".join(await texts(made)) == "one 2 3 four "
    assert "two" not in repr(made.messages)


async def test_thoughts_and_citations_are_rewritten(script: Any, agent: Any, go: Any) -> None:
    class Redact:
        @hookimpl
        def post_model_call(self, ctx: Any) -> None:
            ctx.texts().replace(lambda text: text.replace(SECRET, "[gone]"))

    citation = {
        "title": "t",
        "location": {},
        "sourceContent": [{"text": f" as in {SECRET} it says"}],
    }
    answer: Any = [
        (
            {},
            [
                {"reasoningContent": {"text": f"it is {SECRET}"}},
                {"reasoningContent": {"signature": "s"}},
            ],
        ),
        ({}, [{"text": f"say {SECRET}"}, {"citation": citation}]),
    ]
    manager, _ = recorded(Redact())
    made = agent(manager, script(answer))
    await go(made, "hi")
    message = made.messages[-1]
    assert SECRET not in repr(message)
    assert repr(message).count("[gone]") == 3


async def test_a_chunk_that_is_not_known_denies_under_a_gate(script: Any, agent: Any) -> None:
    manager, _ = checked()
    made = agent(manager, script([({}, [{"hologram": "LEAK"}])]))
    with pytest.raises(PolicyDenied):
        await made.invoke_async("hi")


async def test_a_call_that_a_hook_takes_out_is_not_made(
    script: Any, agent: Any, call: Any, office: Office, go: Any
) -> None:
    class Fewer:
        @hookimpl
        def post_model_call(self, ctx: Any) -> Any:
            calls = [each for each in ctx.response.tool_calls if each.name != "lookup"]
            return ModelResponse(ctx.response.content, calls)

    manager, _ = recorded(Fewer())
    model = script([call("lookup", "c0", key="k"), call("add", "c1", a=1)], "done")
    await go(agent(manager, model), "hi")
    assert office.calls == [("add", 1, 2)]
    assert list(model.results()) == ["c1"]


async def test_arguments_that_a_hook_changes_are_used(
    script: Any, agent: Any, call: Any, office: Office, go: Any
) -> None:
    class Change:
        @hookimpl
        def post_model_call(self, ctx: Any) -> Any:
            calls = [ToolCall(c.name, {"a": 5, "b": 6}, c.id) for c in ctx.response.tool_calls]
            return ModelResponse(ctx.response.content, calls)

    manager, _ = recorded(Change())
    bare: Any = ({"toolUse": {"name": "add", "toolUseId": "c1"}}, [])
    await go(agent(manager, script([call("add", a=1), bare], "done")), "hi")
    assert office.calls == [("add", 5, 6)] * 2


async def test_a_call_without_a_start_keeps_its_name(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, _ = checked()
    told = {"toolUse": {"name": "add", "toolUseId": "c0", "input": '{"a": 1}'}}
    start: Any = {"toolUse": {"name": "add", "toolUseId": "c0"}}
    model = script([(start, [told])], "done")
    await go(agent(manager, model), "hi")
    assert office.calls == [("add", 11, 2)]


async def test_a_wrap_may_answer_in_the_models_place_with_a_stream(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    class Answering:
        asked = 0

        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            self.asked += 1
            if self.asked == 1:
                yield TextChunk("one ")
                yield "moment"
                yield ToolCallChunk(0, "c0", "add", '{"a": ')
                yield ToolCallChunk(0, None, None, "1}")
            elif self.asked == 2:
                yield ModelResponse("", [ToolCall("lookup", {"key": "k"})])
            else:
                async for event in call_next():
                    yield event

    manager, _ = recorded(Answering())
    model = script("done")
    made = agent(manager, model)
    assert str(await go(made, "hi")).strip() == "done"
    assert office.calls == [("add", 1, 2), ("lookup", "k")]
    assert made.messages[1]["content"][0] == {"text": "one moment"}


async def test_a_response_of_another_kind_is_an_error_that_says_what_to_give(
    script: Any, agent: Any, go: Any
) -> None:
    class Replacing:
        @hookimpl
        def post_model_call(self, ctx: Any) -> Any:
            return 7

    manager, _ = checked(Replacing())
    with pytest.raises(TypeError, match="a hook gave int for a model's response: give a text"):
        await go(agent(manager, script("done")), "hi")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_structured_output_of_the_older_kind_is_judged(script: Any, agent: Any) -> None:
    from pydantic import BaseModel

    class Answer(BaseModel):
        text: str

    manager, recorder = checked()
    model = script("fine", "LEAK")
    made = agent(manager, model)
    found = await made.structured_output_async(Answer, f"say {SECRET}")
    assert found.text == "fine"
    assert SECRET not in repr(model.sent)
    with pytest.raises(PolicyDenied):
        await made.structured_output_async(Answer, "hi")
    assert made.model is model
    assert recorder.statuses("model_finished") == ["ok", "denied"]
    assert recorder.statuses("run_finished") == ["ok", "error"]
