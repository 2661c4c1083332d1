from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, REASON, Recorder, checked

if find_spec("agents"):
    import agents

pytestmark = pytest.mark.asyncio


async def test_a_stopped_request_ends_the_run_with_the_message(
    script: Any, agent: Any, go: Any
) -> None:
    manager, recorder = checked()
    model = script("done")
    with pytest.raises(PolicyDenied) as caught:
        await go(agent(manager, model), "STOP")
    assert str(caught.value) == MESSAGE
    assert str(caught.value.__cause__) == REASON
    assert model.calls == ()
    assert recorder.statuses("model_finished") == ["denied"]
    assert recorder.statuses("run_finished") == ["error"]


async def test_a_models_own_failure_goes_on_as_it_is(script: Any, agent: Any, go: Any) -> None:
    from agents.testing import UnexpectedModelCall

    manager, recorder = checked()
    with pytest.raises(UnexpectedModelCall):
        await go(agent(manager, script()), "hi")
    assert recorder.statuses("model_finished") == ["error"]
    assert recorder.statuses("run_finished") == ["error"]


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
    assert model.calls == ()


async def test_a_hook_may_drop_the_instructions(script: Any, agent: Any, go: Any) -> None:
    class Dropping:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> Any:
            return ctx.messages[1:]

    manager, _ = checked(Dropping())
    model = script("done")
    await go(agent(manager, model, instructions="be brief"), "hi")
    assert model.calls[0].system_instructions is None
    assert [item["content"] for item in model.calls[0].input] == ["hi"]


# Streams


def recorded(*plugins: object) -> tuple[HookManager, Recorder]:
    """Return a manager without a policy that has to judge whole responses."""
    manager, recorder = HookManager(), Recorder()
    for plugin in (*plugins, recorder):
        manager.register(plugin)
    return manager, recorder


async def deltas(agent: Any) -> tuple[str, Any]:
    result = agents.Runner.run_streamed(agent, "hi")
    events = [event async for event in result.stream_events()]
    raw = [event.data for event in events if event.type == "raw_response_event"]
    texts = [event.delta for event in raw if event.type == "response.output_text.delta"]
    return "".join(texts), result


async def test_a_stream_that_nobody_judges_passes(script: Any, agent: Any) -> None:
    manager, recorder = recorded()
    text, result = await deltas(agent(manager, script("one two")))
    assert text == result.final_output == "one two"
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_window_rewrites_what_is_streamed_and_what_repeats_it(
    script: Any, agent: Any
) -> None:
    class Window:
        @hookimpl(stream="window", window=12)
        def post_model_call(self, ctx: Any) -> Any:
            return ctx.response.replace("two three", "2 3")

    manager, _ = recorded(Window())
    text, result = await deltas(agent(manager, script("one two three four")))
    assert text == result.final_output == "one 2 3 four"
    assert "two" not in repr(result.to_input_list())


async def test_nothing_of_a_judged_stream_leaves_before_the_verdict(
    script: Any, agent: Any
) -> None:
    manager, recorder = checked()
    result = agents.Runner.run_streamed(agent(manager, script("the LEAK is")), "hi")
    got: list[Any] = []

    async def read() -> None:
        async for event in result.stream_events():
            got.append(event)  # noqa: PERF401 - what came before the failure counts

    with pytest.raises(PolicyDenied, match=MESSAGE):
        await read()
    assert "LEAK" not in repr(got)
    assert recorder.statuses("model_finished") == ["denied"]
    assert recorder.statuses("run_finished") == ["error"]


async def test_a_judged_stream_leaves_after_the_verdict(script: Any, agent: Any) -> None:
    manager, _ = checked()
    text, result = await deltas(agent(manager, script("all is well")))
    assert text == result.final_output == "all is well"


async def test_a_stream_that_is_left_early_ends_once(script: Any, agent: Any) -> None:
    manager, recorder = recorded()
    result = agents.Runner.run_streamed(agent(manager, script("one two")), "hi")
    async for event in result.stream_events():
        if event.type == "raw_response_event":
            break
    result.cancel()
    await asyncio.wait([result.run_loop_task])
    assert len(recorder.statuses("model_finished")) == len(recorder.statuses("run_finished")) == 1


async def test_hooks_see_the_sdks_own_response(script: Any, agent: Any, go: Any) -> None:
    seen = []

    class Watch:
        @hookimpl(gate=True)
        def post_model_call(self, ctx: Any) -> None:
            seen.append(ctx.response)

    manager, _ = recorded(Watch())
    await go(agent(manager, script([("add", {"a": 1, "b": 2})], "one two")), "hi")
    assert [type(response).__name__ for response in seen] == ["ModelResponse"] * 2
    assert seen[0].output[0].name == "add"
    assert seen[1].output[0].content[0].text == "one two"
