from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, Recorder, checked

pytestmark = pytest.mark.asyncio


async def pieces(agent: Any, text: str = "hi") -> list[str]:
    async with agent.run_stream(text) as result:
        return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]


def recorded(*plugins: object) -> tuple[HookManager, Recorder]:
    """Return a manager without a policy that has to judge whole responses."""
    manager, recorder = HookManager(), Recorder()
    for plugin in (*plugins, recorder):
        manager.register(plugin)
    return manager, recorder


async def test_a_stream_that_nobody_judges_leaves_in_pieces(script: Any, agent: Any) -> None:
    manager, recorder = recorded()
    assert await pieces(agent(manager, script("one two three"))) == ["one", " two", " three"]
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_window_rewrites_across_pieces(script: Any, agent: Any) -> None:
    class Window:
        @hookimpl(stream="window", window=12)
        def post_model_call(self, ctx: Any) -> Any:
            return ctx.response.replace("two three", "2 3")

    manager, _ = recorded(Window())
    assert "".join(await pieces(agent(manager, script("one two three four")))) == "one 2 3 four"


async def test_nothing_of_a_judged_stream_leaves_before_the_verdict(
    script: Any, agent: Any
) -> None:
    manager, recorder = checked()
    made = agent(manager, script("the LEAK is"))
    got: list[Any] = []

    async def read() -> None:
        async with made.run_stream_events("hi") as events:
            async for event in events:
                got.append(event)  # noqa: PERF401 - the events before a failure count

    with pytest.raises(PolicyDenied, match=MESSAGE):
        await read()
    assert "the" not in [getattr(getattr(event, "part", None), "content", "") for event in got]
    assert "LEAK" not in repr(got)
    assert recorder.statuses("model_finished") == ["denied"]
    assert recorder.statuses("run_finished") == ["error"]


async def test_a_judged_stream_leaves_whole_after_the_verdict(script: Any, agent: Any) -> None:
    manager, _ = checked()
    assert "".join(await pieces(agent(manager, script("all is well")))) == "all is well"


async def test_hooks_see_the_frameworks_own_response(script: Any, agent: Any) -> None:
    from pydantic_ai.messages import ModelResponse

    seen = []

    class Watch:
        @hookimpl(gate=True)
        def post_model_call(self, ctx: Any) -> None:
            seen.append(ctx.response)

    manager, _ = recorded(Watch())
    model = script([("add", {"a": 1, "b": 2})], "one two")
    await pieces(agent(manager, model))
    assert [type(response) for response in seen] == [ModelResponse, ModelResponse]
    assert [(call.tool_name, call.args_as_dict()) for call in seen[0].tool_calls] == [
        ("add", {"a": 1, "b": 2})
    ]
    assert seen[1].text == "one two"
    assert seen[1].model_name == model.model.model_name


async def test_a_stream_that_is_left_early_ends_once(script: Any, agent: Any) -> None:
    manager, recorder = recorded()
    async with agent(manager, script("one two three")).run_stream("hi") as result:
        async for _ in result.stream_text(delta=True, debounce_by=None):
            break
    assert len(recorder.statuses("model_finished")) == 1
    assert len(recorder.statuses("run_finished")) == 1


async def test_a_cancelled_stream_ends_once(script: Any, agent: Any) -> None:
    from pydantic_ai.models.function import FunctionModel

    closed = []

    async def endless(messages: Any, info: Any) -> Any:
        try:
            while True:
                yield "word "
        finally:
            closed.append(True)

    manager, recorder = recorded()
    model = script()
    model.model = FunctionModel(stream_function=endless)
    async with agent(manager, model).run_stream("hi") as result:
        async for _ in result.stream_text(delta=True, debounce_by=None):
            await result.cancel()
            break
    assert closed == [True]
    assert len(recorder.statuses("model_finished")) == 1
    assert len(recorder.statuses("run_finished")) == 1


async def test_a_wrap_may_yield_texts_of_its_own(script: Any, agent: Any) -> None:
    class Answering:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            yield "from "
            yield "the wrap"

    manager, _ = recorded(Answering())
    model = script("done")
    assert "".join(await pieces(agent(manager, model))) == "from the wrap"
    assert model.seen == []


async def test_thinking_is_judged_like_any_text(script: Any, agent: Any) -> None:
    from pydantic_ai.models.function import DeltaThinkingPart, FunctionModel

    async def thinks(messages: Any, info: Any) -> Any:
        yield {0: DeltaThinkingPart(content="the LE")}
        yield {0: DeltaThinkingPart(content="AK")}
        yield "well"

    manager, _ = checked()
    model = script()
    model.model = FunctionModel(stream_function=thinks)
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await pieces(agent(manager, model))


async def test_thinking_passes_in_order(script: Any, agent: Any) -> None:
    from pydantic_ai.models.function import DeltaThinkingPart, FunctionModel

    async def thinks(messages: Any, info: Any) -> Any:
        yield {0: DeltaThinkingPart(content="I ")}
        yield {0: DeltaThinkingPart(content="think", signature="s")}
        yield "well"

    for manager in (checked()[0], recorded()[0]):
        model = script()
        model.model = FunctionModel(stream_function=thinks)
        async with agent(manager, model).run_stream("hi") as result:
            await result.get_output()
        parts = result.all_messages()[-1].parts
        assert [(part.part_kind, part.content) for part in parts] == [
            ("thinking", "I think"),
            ("text", "well"),
        ]
        assert parts[0].signature == "s"
