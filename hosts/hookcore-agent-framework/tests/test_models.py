from __future__ import annotations

import logging
from typing import Any

import pytest

from hookcore import HookManager, ModelResponse, TextChunk, ToolCall, ToolCallChunk, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, SECRET, Office, Recorder, checked

pytestmark = pytest.mark.asyncio


def recorded(*plugins: object) -> tuple[HookManager, Recorder]:
    """Return a manager without a policy that has to judge whole responses."""
    manager, recorder = HookManager(), Recorder()
    for plugin in (*plugins, recorder):
        manager.register(plugin)
    return manager, recorder


async def texts(agent: Any) -> list[str]:
    return [update.text async for update in agent.run("hi", stream=True)]


async def test_a_hook_may_change_the_model_the_tools_and_the_instructions(
    script: Any, agent: Any, go: Any
) -> None:
    class Change:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> Any:
            ctx.model = "small"
            ctx.tools = [tool for tool in ctx.tools if tool.name == "add"]
            return ctx.messages[1:]

    manager, _ = checked(Change())
    client = script("done")
    await go(agent(manager, client, instructions="be brief"), "hi")
    options = client.sent[0]["options"]
    assert options["model"] == "small"
    assert [tool.name for tool in options["tools"]] == ["add"]
    assert options["instructions"] is None


async def test_the_usage_is_told(script: Any, agent: Any) -> None:
    used: list[Any] = []

    class Usage:
        @hookimpl
        def model_finished(self, ctx: Any) -> None:
            used.append(ctx.usage)

    manager, _ = recorded(Usage())
    await agent(manager, script("done")).run("hi")
    assert used == [{"input_token_count": 1, "output_token_count": 2}]


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


async def test_hooks_see_the_frameworks_own_response(script: Any, agent: Any, go: Any) -> None:
    seen: list[str] = []

    class Watch:
        @hookimpl(gate=True)
        def post_model_call(self, ctx: Any) -> None:
            seen.append(f"{type(ctx.response).__name__}: {ctx.response.text.strip()}")

    manager, _ = recorded(Watch())
    await go(agent(manager, script("one two")), "hi")
    assert seen == ["ChatResponse: one two"]


async def test_what_middleware_ends_the_request_with_is_judged(
    script: Any, agent: Any, go: Any
) -> None:
    import agent_framework as af

    class Ending(af.ChatMiddleware):  # type: ignore[misc]
        async def process(self, context: Any, call_next: Any) -> None:
            response = af.ChatResponse(messages=[af.Message("assistant", ["the LEAK is"])])
            context.result = response
            if context.stream:
                context.result = af.ResponseStream(_updates(), finalizer=lambda _: response)
            raise af.MiddlewareTermination("that is all")

    async def _updates() -> Any:
        yield af.ChatResponseUpdate(contents=[af.Content.from_text("the LEAK is")])

    manager, _ = checked()
    client = script("done")
    made = agent(manager, client)
    made.middleware = [*made.middleware, Ending()]  # inside of hookcore's
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await go(made, "hi")
    assert client.sent == []


# Streams


async def test_an_unjudged_stream_passes_in_pieces(script: Any, agent: Any) -> None:
    manager, recorder = recorded()
    assert await texts(agent(manager, script("one two three"))) == ["one ", "two ", "three "]
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_window_rewrites_what_is_streamed(script: Any, agent: Any) -> None:
    class Window:
        @hookimpl(stream="window", window=12)
        def post_model_call(self, ctx: Any) -> Any:
            return ctx.response.replace("two three", "2 3")

    manager, _ = recorded(Window())
    stream = agent(manager, script("one two three four")).run("hi", stream=True)
    assert "".join([update.text async for update in stream]) == "one 2 3 four "
    assert (await stream.get_final_response()).text == "one 2 3 four "


async def test_contents_of_every_kind_are_rewritten(script: Any, agent: Any) -> None:
    import agent_framework as af

    class Window:
        @hookimpl(stream="window", window=12)
        def post_model_call(self, ctx: Any) -> Any:
            return ctx.response.replace(SECRET, "[gone]")

    contents = [
        af.Content.from_text_reasoning(text=f"it is {SECRET}"),
        af.Content.from_text(f"say {SECRET}"),
        af.Content.from_error(message=f"the error {SECRET}"),
        af.Content.from_usage({"output_token_count": 1}),
    ]

    class Client(script):  # type: ignore[misc]
        async def _pieces(self, messages: Any, options: Any) -> Any:
            yield af.ChatResponseUpdate(contents=contents, role="assistant", finish_reason="stop")

    manager, _ = recorded(Window())
    stream = agent(manager, Client()).run("hi", stream=True)
    told = [update.to_dict() async for update in stream]
    assert SECRET not in repr(told)
    assert repr(told).count("[gone]") == 3
    response = await stream.get_final_response()
    assert response.usage_details["output_token_count"] == 1
    assert SECRET not in repr(response.to_dict())


async def test_pieces_of_a_call_that_do_not_name_it_belong_to_it(
    script: Any, agent: Any, office: Office
) -> None:
    import agent_framework as af

    class Client(script):  # type: ignore[misc]
        async def _pieces(self, messages: Any, options: Any) -> Any:
            told = [("c0", "add", '{"a": 1,'), ("", "", ' "b": 2}')]
            if len(messages) > 1:
                yield af.ChatResponseUpdate(contents=[af.Content.from_text("done")])
                return
            for call_id, name, text in told:
                piece = af.Content.from_function_call(call_id, name, arguments=text)
                yield af.ChatResponseUpdate(contents=[piece], role="assistant")

    manager, _ = checked()
    async for _ in agent(manager, Client()).run("hi", stream=True):
        pass
    assert office.calls == [("add", 11, 2)]


async def test_a_wrap_may_answer_in_the_models_place_with_a_stream(
    script: Any, agent: Any, office: Office
) -> None:
    class Answering:
        asked = 0

        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            self.asked += 1
            if self.asked == 1:
                yield TextChunk("one ")
                yield ToolCallChunk(0, "c0", "add", '{"a": 1, ')
                yield ToolCallChunk(0, None, None, '"b": 2}')
            elif self.asked == 2:
                yield ModelResponse("", [ToolCall("lookup", {"key": "k"})])
            else:
                async for event in call_next():
                    yield event

    manager, _ = recorded(Answering())
    client = script("done")
    assert "".join(await texts(agent(manager, client))) == "one done "
    assert office.calls == [("add", 1, 2), ("lookup", "k")]
    assert len(client.sent) == 1


async def test_other_middlewares_wishes_for_the_stream_are_kept(
    script: Any, agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    import agent_framework as af

    class Shouting(af.ChatMiddleware):  # type: ignore[misc]
        async def process(self, context: Any, call_next: Any) -> None:
            context.stream_transform_hooks.append(shout)
            await call_next()

    def shout(update: Any) -> Any:
        contents = [af.Content.from_text(update.text.upper())]
        return af.ChatResponseUpdate(contents=contents, role=update.role)

    manager, _ = recorded()
    made = agent(manager, script("one two"))
    made.middleware = [*made.middleware, Shouting()]  # inside of hookcore's
    with caplog.at_level(logging.WARNING):
        assert await texts(made) == ["ONE ", "TWO "]
    assert caplog.records == []
