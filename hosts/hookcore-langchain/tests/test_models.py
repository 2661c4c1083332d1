from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookManager, RegistrationError, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, Recorder, checked

pytestmark = pytest.mark.asyncio


async def test_the_agents_state_keeps_the_texts_as_they_were_written(
    script: Any, agent: Any
) -> None:
    manager, _ = checked()
    state = await agent(manager, script("done")).ainvoke({"messages": [f"user {SECRET}"]})
    assert SECRET in repr(state)


async def test_a_stopped_request_ends_the_run_with_the_message(
    script: Any, agent: Any, go: Any
) -> None:
    manager, recorder = checked()
    model = script("done")
    with pytest.raises(PolicyDenied) as caught:
        await go(agent(manager, model), "STOP")
    assert str(caught.value) == MESSAGE
    assert model.seen == []
    assert recorder.statuses("model_finished") == ["denied"]
    assert recorder.statuses("run_finished") == ["error"]


async def test_a_models_own_failure_goes_on_as_it_is(script: Any, agent: Any, go: Any) -> None:
    manager, recorder = checked()
    with pytest.raises(IndexError):
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
    assert "asks only the one that it has" in reasons(caught.value)
    assert model.seen == []


async def test_a_governed_model_is_governed_once_and_the_given_one_not_at_all(script: Any) -> None:
    from hookcore_langchain import govern_model

    manager, recorder = checked()
    model = script("one", "two")
    governed = govern_model(model, manager)
    assert govern_model(governed, manager) is governed
    assert (await model.ainvoke("hi")).content == "one"
    assert recorder.endings == []
    assert governed.invoke("hi").content == "two"
    assert recorder.statuses("model_finished") == ["ok"]


async def test_what_is_no_chat_model_is_refused() -> None:
    pytest.importorskip("langchain", reason="langchain is not installed")
    from hookcore_langchain import govern_model

    with pytest.raises(TypeError, match="str is no chat model whose calls could be judged"):
        govern_model("gpt", HookManager())


async def test_a_model_that_another_middleware_chooses_is_governed(
    script: Any, agent: Any, go: Any
) -> None:
    from langchain.agents.middleware import ModelFallbackMiddleware

    manager, recorder = checked()
    second = script("the LEAK is")
    made = agent(manager, script(), middleware=[ModelFallbackMiddleware(second)])
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await go(made, "hi")
    assert recorder.statuses("model_finished") == ["error", "denied"]


async def test_an_async_wrap_is_refused_unless_the_program_is_async(script: Any) -> None:
    from hookcore_langchain import Hookcore

    class Timing:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            return await call_next()

    script()
    manager = HookManager()
    manager.register(Timing())
    with pytest.raises(RegistrationError, match="langchain"):
        Hookcore(manager)
    other = HookManager()
    other.register(Timing())
    Hookcore(other, modes=["async", "stream"])


def reasons(error: BaseException | None) -> str:
    """Return the texts of an error and its causes."""
    return "" if error is None else f"{error}; {reasons(error.__cause__)}"


# Streams


def recorded(*plugins: object) -> tuple[HookManager, Recorder]:
    """Return a manager without a policy that has to judge whole responses."""
    manager, recorder = HookManager(), Recorder()
    for plugin in (*plugins, recorder):
        manager.register(plugin)
    return manager, recorder


def tokens(agent: Any) -> list[str]:
    items = agent.stream({"messages": ["hi"]}, stream_mode="messages")
    return [chunk.content for chunk, _ in items if chunk.content]


async def atokens(agent: Any) -> list[str]:
    items = agent.astream({"messages": ["hi"]}, stream_mode="messages")
    return [chunk.content async for chunk, _ in items if chunk.content]


async def test_tokens_that_nobody_judges_leave_in_pieces(script: Any, agent: Any) -> None:
    manager, recorder = recorded()
    assert tokens(agent(manager, script("one two"))) == ["one", " two"]
    assert await atokens(agent(manager, script("one two"))) == ["one", " two"]
    assert recorder.statuses("model_finished") == ["ok", "ok"]


async def test_a_window_rewrites_across_tokens(script: Any, agent: Any) -> None:
    class Window:
        @hookimpl(stream="window", window=12)
        def post_model_call(self, ctx: Any) -> Any:
            return ctx.response.replace("two three", "2 3")

    manager, _ = recorded(Window())
    assert "".join(tokens(agent(manager, script("one two three four")))) == "one 2 3 four"
    assert "".join(await atokens(agent(manager, script("one two three four")))) == "one 2 3 four"


@pytest.mark.parametrize("way", ["stream", "astream", "events"])
async def test_nothing_of_a_judged_stream_leaves_before_the_verdict(
    way: str, script: Any, agent: Any
) -> None:
    manager, recorder = checked()
    made = agent(manager, script("the LEAK is"))
    got: list[Any] = []

    async def read() -> None:
        if way == "stream":
            for item in made.stream({"messages": ["hi"]}, stream_mode="messages"):
                got.append(item)  # noqa: PERF402 - what came before the failure counts
            return
        source = (
            made.astream({"messages": ["hi"]}, stream_mode="messages")
            if way == "astream"
            else made.astream_events({"messages": ["hi"]}, version="v2")
        )
        async for item in source:
            got.append(item)  # noqa: PERF401 - the same

    with pytest.raises(PolicyDenied, match=MESSAGE):
        await read()
    assert "LEAK" not in repr(got)
    assert REASON not in repr(got)
    assert recorder.statuses("model_finished") == ["denied"]
    assert recorder.statuses("run_finished") == ["error"]


async def test_a_judged_stream_leaves_after_the_verdict(script: Any, agent: Any) -> None:
    manager, _ = checked()
    assert "".join(tokens(agent(manager, script("all is well")))) == "all is well"
    assert "".join(await atokens(agent(manager, script("all is well")))) == "all is well"


async def test_a_stream_that_is_left_early_ends_once(script: Any, agent: Any) -> None:
    manager, recorder = recorded()
    source = agent(manager, script("one two")).stream({"messages": ["hi"]}, stream_mode="messages")
    next(source)
    source.close()
    asource = agent(manager, script("one two")).astream(
        {"messages": ["hi"]}, stream_mode="messages"
    )
    await anext(asource)
    await asource.aclose()
    assert len(recorder.statuses("model_finished")) == 2
    assert len(recorder.statuses("run_finished")) == 2


async def test_hooks_see_the_frameworks_own_message(script: Any, agent: Any, go: Any) -> None:
    from langchain_core.messages import AIMessage

    seen = []

    class Watch:
        @hookimpl(gate=True)
        def post_model_call(self, ctx: Any) -> None:
            seen.append(ctx.response)

    manager, _ = recorded(Watch())
    await go(agent(manager, script([("add", {"a": 1, "b": 2})], "one two")), "hi")
    assert all(isinstance(message, AIMessage) for message in seen)
    assert [(call["name"], call["args"]) for call in seen[0].tool_calls] == [
        ("add", {"a": 1, "b": 2})
    ]
    assert seen[1].content == "one two"


async def test_a_models_own_stream_of_another_protocol_is_not_used(script: Any) -> None:
    from hookcore_langchain import govern_model

    class Native(type(script())):  # type: ignore[misc]
        def _stream_chat_model_events(self, *args: Any, **options: Any) -> Any:
            raise AssertionError("it would go past the policies")

    manager, recorder = checked()
    model = Native(steps=["the LEAK is"], seen=[], offered=[])
    governed = govern_model(model, manager)
    if not hasattr(governed, "stream_events"):
        pytest.skip("this LangChain has no such streams")
    with pytest.raises(PolicyDenied, match=MESSAGE):
        list(governed.stream_events("hi", version="v3"))
    assert recorder.statuses("model_finished") == ["denied"]
