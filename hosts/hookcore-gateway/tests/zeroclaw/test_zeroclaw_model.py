"""Handlers around the model call: the cache of answers, the chosen route, and its failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, HookDispatchedEvent, hookimpl
from hookcore_agent import Agent, MixedToolsError, ResponseCache, ScriptedModel, TextTools, ToolCall
from hookcore_gateway.zeroclaw import (
    Cancel,
    ChatResponse,
    Continue,
    HookHandler,
    HookResult,
    HookRunner,
)

pytestmark = pytest.mark.asyncio

Make = Callable[..., HookHandler]
DELETION = '<tool_call>{"name": "delete", "arguments": {"path": "a"}}</tool_call>'


@pytest.fixture
def cached(runner: HookRunner) -> HookRunner:
    """Return the runner with a cache of answers in its manager."""
    runner.manager.register(ResponseCache(), name="cache")
    return runner


async def outputs(agent: Agent, times: int = 2) -> list[Any]:
    return [(await agent.run("hi")).output for _ in range(times)]


# The cache of answers


async def test_a_cancel_beats_a_hit_and_the_operator_reads_why(
    cached: HookRunner, make_handler: Make
) -> None:
    told: list[str] = []
    events: list[HookDispatchedEvent] = []

    async def refuse(messages: list[Any], model: str) -> HookResult[None]:
        return Cancel("over budget")

    async def note(messages: list[Any], model: str) -> None:
        told.append(model)

    cached.register(make_handler("note", on_llm_input=note))
    model = ScriptedModel(["hello"])
    agent = Agent("a", model, hooks=cached.manager)
    await agent.run("hi")
    cached.register(make_handler("budget", before_llm_call=refuse))
    cached.manager.subscribe(events.append)
    with pytest.raises(HookAborted, match="over budget"):
        await agent.run("hi")
    assert (len(model.requests), told) == (1, ["scripted"])
    aborts = [event for event in events if event.outcome == "aborted"]
    assert [(str(e.interception_point), e.abort_reason, e.abort_source) for e in aborts] == [
        ("pre_model_call", "over budget", "budget")
    ]


async def test_an_empty_runner_keeps_the_cache_in_use(cached: HookRunner) -> None:
    model = ScriptedModel(["hello"])
    assert await outputs(Agent("a", model, hooks=cached.manager)) == ["hello", "hello"]
    assert len(model.requests) == 1


async def test_handlers_that_only_look_keep_the_cache_in_use(
    cached: HookRunner, make_handler: Make
) -> None:
    told: list[Any] = []

    async def sent(messages: list[Any], model: str) -> None:
        told.append(model)

    async def answered(response: ChatResponse) -> None:
        told.append(response)

    async def look(messages: list[Any], model: str) -> HookResult[None]:
        told.append(len(messages))
        return Continue(None)

    methods = {"on_llm_input": sent, "on_llm_output": answered, "before_llm_call": look}
    cached.register(make_handler("note", **methods))
    model = ScriptedModel(["hello"])
    await outputs(Agent("a", model, hooks=cached.manager))
    assert len(model.requests) == 1
    assert told == [1, "scripted", ChatResponse(text="hello"), 1, ChatResponse(text="hello")]


async def test_what_a_handler_makes_of_the_messages_is_what_was_asked(
    cached: HookRunner, make_handler: Make
) -> None:
    names = iter(["Ana", "Ben", "Ana"])

    async def sign(messages: list[Any], model: str) -> HookResult[None]:
        messages[-1].content += f" from {next(names)}"
        return Continue(None)

    cached.register(make_handler("sign", before_llm_call=sign))
    model = ScriptedModel(lambda request: request.messages[-1].content)
    agent = Agent("a", model, hooks=cached.manager)
    assert await outputs(agent, 3) == ["hi from Ana", "hi from Ben", "hi from Ana"]


async def test_a_handler_that_is_added_does_not_get_an_answer_from_before(
    cached: HookRunner, make_handler: Make
) -> None:
    async def suffix(prompt: str) -> HookResult[str]:
        return Continue(prompt + " Be brief.")

    model = ScriptedModel(["Good morning to you.", "Morning."])
    agent = Agent("a", model, hooks=cached.manager, instructions="You greet.")
    assert await outputs(agent) == ["Good morning to you."] * 2
    cached.register(make_handler("brief", before_prompt_build=suffix))
    assert await outputs(agent) == ["Morning."] * 2


@pytest.mark.parametrize("method", ["before_model_resolve", "before_llm_call"])
async def test_the_model_that_a_handler_chose_is_the_one_whose_answer_is_kept(
    cached: HookRunner, make_handler: Make, method: str
) -> None:
    names = iter(["first", "second", "first", "second"])

    async def choose(first: Any, model: str) -> HookResult[Any]:
        return Continue((first, next(names)))

    cached.register(make_handler("choose", **{method: choose}))
    models = [ScriptedModel([name], name=name) for name in ("first", "second")]
    agent = Agent("a", models[0], hooks=cached.manager, models=models[1:])
    assert await outputs(agent, 4) == ["first", "second"] * 2
    assert [len(model.requests) for model in models] == [1, 1]


# The chosen route


@pytest.mark.parametrize("method", ["before_model_resolve", "before_llm_call"])
@pytest.mark.parametrize("choice", ["native", "text"])
async def test_the_route_that_a_handler_chose_decides_how_tools_are_called(
    runner: HookRunner, make_handler: Make, method: str, choice: str
) -> None:
    async def choose(first: Any, model: str) -> HookResult[Any]:
        return Continue((first, choice))

    async def suffix(prompt: str) -> HookResult[str]:
        return Continue(f"{prompt} Be brief.")

    deleted: list[str] = []

    def delete(path: str) -> str:
        deleted.append(path)
        return "deleted"

    runner.register(make_handler("choose", **{method: choose}, before_prompt_build=suffix))
    native = ScriptedModel([[ToolCall("delete", {"path": "a"})], "done"], name="native")
    text = ScriptedModel([DELETION, "done"], name="text")
    agent = Agent(
        "a",
        ScriptedModel([]),
        [delete],
        hooks=runner.manager,
        instructions="You tidy up.",
        models=[native, TextTools(text)],
    )
    assert (await agent.run("hi")).output == "done"
    chosen = native if choice == "native" else text
    assert (len(native.requests + text.requests), deleted) == (2, ["a"])
    prompt = chosen.requests[0].messages[0].content
    assert prompt.startswith("You tidy up. Be brief.")
    assert ('"name": "delete"' in prompt, len(chosen.requests[0].tools)) == (
        (False, 1) if choice == "native" else (True, 0)
    )


async def test_a_route_by_text_with_tools_of_the_provider_is_refused_before_it_is_asked(
    runner: HookRunner, make_handler: Make
) -> None:
    async def choose(provider: str, model: str) -> HookResult[tuple[str, str]]:
        return Continue((provider, "text"))

    runner.register(make_handler("choose", before_model_resolve=choose))
    native, text = ScriptedModel(["hello"]), ScriptedModel(["hello"], name="text")
    agent = Agent(
        "a", native, hooks=runner.manager, models=[TextTools(text)], server_tools=["web_search"]
    )
    with pytest.raises(MixedToolsError, match="script/text"):
        await agent.run("hi")
    assert (native.requests, text.requests) == ([], [])


@pytest.mark.parametrize("method", ["before_model_resolve", "before_llm_call"])
@pytest.mark.parametrize("wrapped", [TextTools, lambda model: model])
async def test_a_failure_of_the_provider_is_told_of_the_model_that_a_handler_chose(
    runner: HookRunner, make_handler: Make, method: str, wrapped: Callable[[Any], Any]
) -> None:
    async def choose(first: Any, model: str) -> HookResult[Any]:
        return Continue((first, "large"))

    class Ends:
        told: tuple[Any, ...] = ()

        @hookimpl
        def model_finished(self, ctx: Any) -> None:
            self.told = (ctx.status, ctx.provider, ctx.model, ctx.llm, str(ctx.error))

    ends = Ends()
    runner.manager.register(ends)
    runner.register(make_handler("choose", **{method: choose}))
    large = wrapped(ScriptedModel([ConnectionError("down")], name="large"))
    with pytest.raises(ConnectionError, match="down"):
        await Agent("a", ScriptedModel([]), hooks=runner.manager, models=[large]).run("hi")
    assert ends.told == ("error", "script", "large", large, "down")


async def test_a_handler_cancels_a_call_in_text_like_any_other(
    runner: HookRunner, make_handler: Make
) -> None:
    ended: list[tuple[str, str]] = []

    async def guard(name: str, args: dict[str, Any]) -> HookResult[Any]:
        return Cancel(f"rule 7 about {args['path']}")

    async def abandoned(context: Any, tool: str) -> None:
        ended.append(("abandoned", tool))

    def delete(path: str) -> str:
        raise AssertionError("nobody gets here")

    runner.register(make_handler("guard", before_tool_call=guard, on_tool_call_abandoned=abandoned))
    inner = ScriptedModel([DELETION, "sorry"])
    result = await Agent("a", TextTools(inner), [delete], hooks=runner.manager).run("hi")
    assert (result.output, ended) == ("sorry", [("abandoned", "delete")])
    told = inner.requests[1].messages[-1].content
    assert ("denied by guard" in told, "rule 7" in told) == (True, False)


async def test_a_handler_renames_a_call_in_text_like_any_other(
    runner: HookRunner, make_handler: Make
) -> None:
    async def spare(name: str, args: dict[str, Any]) -> HookResult[Any]:
        return Continue(("archive", args))

    def delete(path: str) -> str:
        raise AssertionError("nobody gets here")

    def archive(path: str) -> str:
        return f"archived {path}"

    runner.register(make_handler("spare", before_tool_call=spare))
    inner = ScriptedModel([DELETION, "done"])
    agent = Agent("a", TextTools(inner), [delete, archive], hooks=runner.manager)
    await agent.run("hi")
    assert "archived a" in inner.requests[1].messages[-1].content
