from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookAborted, HookManager, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, checked

pytestmark = pytest.mark.asyncio


async def test_message_system_prompt_and_instructions_are_sent_redacted(
    script: Any, agent: Any, go: Any
) -> None:
    manager, recorder = checked()
    model = script("done")
    made = agent(
        manager, model, system_prompt=f"system {SECRET}", instructions=f"instructions {SECRET}"
    )
    await go(made, f"user {SECRET}")
    assert SECRET not in model.sent()
    for text in ("system [gone]", "instructions [gone]", "user [gone]"):
        assert text in model.sent()
    parameters = model.infos[0].model_request_parameters
    assert [part.content for part in parameters.instruction_parts] == ["instructions [gone]"]
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_stopped_request_ends_the_run_with_the_message(
    script: Any, agent: Any, go: Any
) -> None:
    manager, recorder = checked()
    model = script("done")
    with pytest.raises(PolicyDenied) as caught:
        await go(agent(manager, model), "STOP")
    assert str(caught.value) == MESSAGE
    assert str(caught.value.__cause__) == REASON
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
    script: Any, agent: Any
) -> None:
    class Replacing:
        @hookimpl
        def post_model_call(self, ctx: Any) -> Any:
            return ["changed"]

    manager, _ = checked(Replacing())
    with pytest.raises(TypeError, match="a hook gave list for a model's response: give a text"):
        await agent(manager, script("done")).run("hi")


async def test_hooks_may_take_tools_away_and_name_another_model(
    script: Any, agent: Any, go: Any
) -> None:
    class Fewer:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            ctx.tools = [tool for tool in ctx.tools if tool.name == "add"]

    class Other:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            ctx.model = "test"

    manager, _ = checked(Fewer())
    model = script("done")
    await go(agent(manager, model), "hi")
    assert [tool.name for tool in model.infos[0].function_tools] == ["add"]

    manager, recorder = checked(Fewer(), Other())
    model = script("done")
    await go(agent(manager, model), "hi")
    assert model.seen == []
    assert recorder.tools() == [("add", "ok")]  # the test model calls what it is offered


async def test_a_hook_may_drop_the_instructions(script: Any, agent: Any) -> None:
    class Dropping:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> Any:
            return ctx.messages[1:]

    manager, _ = checked(Dropping())
    model = script("done")
    await agent(manager, model, instructions="be brief").run("hi")
    assert model.infos[0].model_request_parameters.instruction_parts == []
    assert len(model.seen[0]) == 1


async def test_tokens_are_counted_of_what_may_be_sent(script: Any, agent: Any) -> None:
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.usage import RequestUsage, UsageLimits

    seen = []

    class Counting(TestModel):  # type: ignore[misc]
        async def count_tokens(self, messages: Any, *_: Any) -> Any:
            seen.append(repr(messages))
            return RequestUsage(input_tokens=1)

    manager, _ = checked()
    model = script()
    model.model = Counting(call_tools=[])
    limits = UsageLimits(input_tokens_limit=100, count_tokens_before_request=True)
    await agent(manager, model).run(f"it is {SECRET}", usage_limits=limits)
    assert len(seen) == 1
    assert SECRET not in seen[0]


async def test_the_batch_api_is_refused(script: Any) -> None:
    from hookcore_pydantic_ai.model import GovernedModel

    governed = GovernedModel(script().model, HookManager())
    with pytest.raises(HookAborted, match="its batch API are seen by no policy"):
        await governed.batch_encode(None)


async def test_usage_is_told(script: Any, agent: Any, go: Any) -> None:
    seen = []

    class Watch:
        @hookimpl
        def model_finished(self, ctx: Any) -> None:
            seen.append(ctx.usage)

    manager, _ = checked(Watch())
    await go(agent(manager, script("one two")), "hi")
    assert seen[0].output_tokens > 0
