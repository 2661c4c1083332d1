from __future__ import annotations

from typing import Any

import pytest

from hookcore import Abort, ModelResponse, ToolCall, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, checked

pytestmark = pytest.mark.asyncio


async def test_instructions_of_every_form_are_sent_redacted(
    script: Any, agent: Any, go: Any
) -> None:
    from google.genai import types

    def parts(callback_context: Any, llm_request: Any) -> None:
        llm_request.config.system_instruction = [f"a {SECRET}", types.Part(text=f"b {SECRET}")]

    def content(callback_context: Any, llm_request: Any) -> None:
        said = types.Content(role="user", parts=[types.Part(text=f"a {SECRET}")])
        llm_request.config.system_instruction = said

    for form in (parts, content):
        manager, _ = checked()
        model = script("done")
        await go(agent(manager, model, before_model_callback=form), f"user {SECRET}")
        assert SECRET not in model.sent()
        assert "a [gone]" in str(model.seen[0][0].system_instruction)


async def test_instructions_that_no_hook_changes_are_sent_as_they_are(
    script: Any, agent: Any, go: Any
) -> None:
    manager, _ = checked()
    model = script("done")
    await go(agent(manager, model, instruction="be brief"), "hi")
    told = model.seen[0][0].system_instruction
    assert isinstance(told, str)
    assert told.startswith("be brief")


async def test_a_hook_may_drop_the_instructions(script: Any, agent: Any, go: Any) -> None:
    class Dropping:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> Any:
            return ctx.messages[1:]

    manager, _ = checked(Dropping())
    model = script("done")
    await go(agent(manager, model, instruction="be brief"), "hi")
    assert model.seen[0][0].system_instruction is None
    assert len(model.seen[0][1]) == 1


async def test_a_tool_that_was_taken_away_does_not_run_though_the_model_calls_it(
    script: Any, agent: Any, office: Any, go: Any
) -> None:
    class Fewer:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            ctx.tools = [tool for tool in ctx.tools if tool.name != "lookup"]

    manager, _ = checked(Fewer())
    model = script([("lookup", {"key": "k"})], "done")
    await go(agent(manager, model), "hi")
    assert office.calls == []


async def test_a_hook_may_name_another_model(
    script: Any, agent: Any, go: Any, response: Any
) -> None:
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.registry import LLMRegistry
    from google.genai import types

    class Cheap(BaseLlm):  # type: ignore[misc]
        @classmethod
        def supported_models(cls) -> list[str]:
            return ["cheap-model"]

        async def generate_content_async(self, llm_request: Any, **_: Any) -> Any:
            yield response(types.Part(text=f"from {llm_request.model}"))

    class Thrifty:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            ctx.model = "cheap-model"

    LLMRegistry.register(Cheap)
    manager, recorder = checked(Thrifty())
    model = script()
    assert await go(agent(manager, model), "hi") == "from cheap-model"
    assert model.seen == []
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_model_below_another_is_one_call(script: Any, agent: Any, go: Any) -> None:
    class Wrapping(type(script())):  # type: ignore[misc]
        async def generate_content_async(self, llm_request: Any, **options: Any) -> Any:
            async for item in super().generate_content_async(llm_request, **options):
                yield item

    manager, recorder = checked()
    model = Wrapping(model="fake", steps=["done"], seen=[])
    await go(agent(manager, model), "hi")
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_request_of_a_model_that_no_agent_makes_is_judged(
    script: Any, install: Any
) -> None:
    from google.adk.models.llm_request import LlmRequest
    from google.genai import types

    manager, recorder = checked()
    install(manager)
    model = script("done")
    message = types.Content(role="user", parts=[types.Part(text=f"sum up {SECRET}")])
    given = LlmRequest(model="fake", contents=[message])
    answers = [item async for item in model.generate_content_async(given)]
    assert answers[-1].content.parts[0].text == "done"
    assert SECRET not in model.sent()
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_live_session_is_refused_where_there_are_policies(
    script: Any, install: Any
) -> None:
    from google.adk.models.google_llm import Gemini
    from google.adk.models.llm_request import LlmRequest

    install(checked()[0])
    with pytest.raises(PolicyDenied, match="Live sessions are switched off") as caught:
        Gemini(model="gemini-live").connect(LlmRequest())
    assert "use Runner.run_async" in str(caught.value.__cause__)


async def test_a_denied_request_stops_the_run_though_a_plugin_answers_for_errors(
    script: Any, agent: Any, run: Any, response: Any
) -> None:
    from google.adk.plugins.base_plugin import BasePlugin
    from google.genai import types

    class Answering(BasePlugin):  # type: ignore[misc]
        async def on_model_error_callback(self, **_: Any) -> Any:
            return response(types.Part(text="never mind"))

    manager, recorder = checked()
    model = script("done")
    made, plugins = agent(manager, model), [Answering(name="answering")]
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await run(made, "STOP", plugins=plugins)
    assert recorder.statuses("run_finished") == ["error"]


async def test_a_models_own_failure_may_be_answered_by_a_plugin(
    script: Any, agent: Any, run: Any, response: Any
) -> None:
    from google.adk.plugins.base_plugin import BasePlugin
    from google.genai import types

    class Answering(BasePlugin):  # type: ignore[misc]
        async def on_model_error_callback(self, **_: Any) -> Any:
            return response(types.Part(text="never mind"))

    manager, recorder = checked()
    made, plugins = agent(manager, script()), [Answering(name="answering")]
    events = await run(made, "hi", plugins=plugins)
    assert events[-1].content.parts[0].text == "never mind"
    assert recorder.statuses("model_finished") == ["error"]
    assert recorder.statuses("run_finished") == ["ok"]


async def test_thinking_is_judged_and_passes_in_order(
    script: Any, agent: Any, run: Any, response: Any
) -> None:
    from google.genai import types

    class Thinking(type(script())):  # type: ignore[misc]
        async def generate_content_async(self, llm_request: Any, **_: Any) -> Any:
            thought = types.Part(text="I think", thought=True)
            yield response(types.Part(text="I ", thought=True), partial=True)
            yield response(types.Part(text="think", thought=True), partial=True)
            yield response(types.Part(text="well"), partial=True)
            yield response(thought, types.Part(text="well"))

    class Judging:
        def __init__(self, bad: str) -> None:
            self.bad = bad

        @hookimpl(gate=True)
        def post_model_call(self, ctx: Any) -> Any:
            bad = self.bad in str(ctx.texts())
            return Abort(REASON, message=MESSAGE) if bad else None

    for bad, is_denied in (("nothing", False), ("think", True)):
        manager, _ = checked(Judging(bad))
        made = agent(manager, Thinking(model="fake", steps=[], seen=[]))
        if is_denied:
            with pytest.raises(PolicyDenied, match=MESSAGE):
                await run(made, "hi", stream=True)
            continue
        events = await run(made, "hi", stream=True)
        parts = events[-1].content.parts
        assert [(part.text, bool(part.thought)) for part in parts] == [
            ("I think", True),
            ("well", False),
        ]


async def test_a_window_hook_rewrites_texts_and_code_beside_calls(
    script: Any, agent: Any, office: Any, run: Any, response: Any
) -> None:
    from google.genai import types

    class Mixed(type(script())):  # type: ignore[misc]
        async def generate_content_async(self, llm_request: Any, **_: Any) -> Any:
            if self.steps:
                self.steps.clear()
                call = types.FunctionCall(id="c0", name="lookup", args={"key": "two"})
                code = types.ExecutableCode(code="print('two')", language=types.Language.PYTHON)
                yield response(types.Part(text="one two"), partial=True)
                yield response(types.Part(function_call=call), partial=True)
                yield response(
                    types.Part(text="one two"),
                    types.Part(executable_code=code),
                    types.Part(function_call=call),
                )
                return
            yield response(types.Part(text="done"))

    class Window:
        @hookimpl(stream="window")
        def post_model_call(self, ctx: Any) -> None:
            ctx.texts().replace(lambda text: text.replace("two", "2"))

    from hookcore import HookManager

    manager = HookManager()
    manager.register(Window())
    made = agent(manager, Mixed(model="fake", steps=["x"], seen=[]))
    events = await run(made, "hi", stream=True)
    whole = next(event for event in events if event.get_function_calls())
    assert not whole.partial
    assert [part.text for part in whole.content.parts if part.text] == ["one 2"]
    assert whole.get_function_calls()[0].args == {"key": "2"}
    assert office.calls == [("lookup", "2")]
    assert "two" not in repr(events)


async def test_a_wrap_may_yield_texts_of_its_own(script: Any, agent: Any, run: Any) -> None:
    class Answering:
        @hookimpl
        async def wrap_model_call(self, ctx: Any, call_next: Any) -> Any:
            yield "from "
            yield "the wrap"

    manager, _ = checked()
    manager.register(Answering())
    model = script("done")
    events = await run(agent(manager, model), "hi", stream=True)
    assert [event.content.parts[0].text for event in events][-1] == "from the wrap"
    assert not events[-1].partial
    assert model.seen == []


async def test_a_neutral_response_with_thinking_and_calls_is_the_adks(
    script: Any, agent: Any, office: Any, run: Any
) -> None:
    class Replacing:
        @hookimpl
        def post_model_call(self, ctx: Any) -> Any:
            if "first" in str(ctx.texts()):
                call = ToolCall("lookup", '{"key": "k"}', "own")
                return ModelResponse("text", [call], thinking="hm")
            return None

    manager, _ = checked(Replacing())
    model = script("first", "second")
    events = await run(agent(manager, model), "hi")
    parts = events[0].content.parts
    assert [(part.text, bool(part.thought)) for part in parts[:2]] == [
        ("hm", True),
        ("text", False),
    ]
    assert office.calls == [("lookup", "k")]


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


async def test_usage_is_told(script: Any, agent: Any, run: Any, response: Any) -> None:
    from google.genai import types

    seen = []

    class Counting(type(script())):  # type: ignore[misc]
        async def generate_content_async(self, llm_request: Any, **_: Any) -> Any:
            usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=7)
            told = response(types.Part(text="done"))
            yield told.model_copy(update={"usage_metadata": usage})

    class Watch:
        @hookimpl
        def model_finished(self, ctx: Any) -> None:
            seen.append(ctx.usage)

    manager, _ = checked(Watch())
    await run(agent(manager, Counting(model="fake", steps=[], seen=[])), "hi")
    assert seen[0].prompt_token_count == 7
