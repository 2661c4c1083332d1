from __future__ import annotations

from typing import Any

import pytest

from hookcore import Abort, hookimpl
from hookcore.hosting.checks import MESSAGE, REASON, Office, checked

pytestmark = pytest.mark.asyncio


async def test_a_denied_transfer_leaves_the_conversation_where_it_is(
    script: Any, agent: Any, go: Any
) -> None:
    class NoTransfers:
        @hookimpl(tools=["transfer_to_agent"], gate=True)
        def pre_tool_call(self, ctx: Any) -> Any:
            return Abort(REASON, message=MESSAGE)

    manager, recorder = checked(NoTransfers())
    other = agent(manager, script(), name="other", description="Another.")
    model = script([("transfer_to_agent", {"agent_name": "other"})], "I stay")
    assert await go(agent(manager, model, name="main", sub_agents=[other]), "hi") == "I stay"
    assert MESSAGE in model.results()["transfer_to_agent"]["error"]
    assert recorder.tools() == [("transfer_to_agent", "denied")]


async def test_calls_behind_a_transfer_are_the_other_agents(
    script: Any, agent: Any, office: Office, run: Any
) -> None:
    agents = []

    class Watch:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> None:
            agents.append((ctx.tool_name, ctx.agent))

        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            agents.append(("model", ctx.agent))

    manager, _ = checked(Watch())
    other = agent(manager, script([("lookup", {"key": "k"})], "done"), name="other")
    model = script([("transfer_to_agent", {"agent_name": "other"})])
    await run(agent(manager, model, name="main", sub_agents=[other]), "hi")
    assert agents == [
        ("model", "main"),
        ("transfer_to_agent", "main"),
        ("model", "other"),
        ("lookup", "other"),
        ("model", "other"),
    ]


async def test_a_result_that_tells_of_a_failure_is_seen_as_one_and_goes_on_as_it_is(
    script: Any, agent: Any, go: Any
) -> None:
    def flaky(x: str) -> dict[str, str]:
        """Fail by the result."""
        return {"error": f"no {x}"}

    seen = []

    class Watch:
        @hookimpl(tools=["flaky"])
        def post_tool_call(self, ctx: Any) -> None:
            seen.append(str(ctx.error))

    manager, recorder = checked(Watch())
    model = script([("flaky", {"x": "luck"})], "done")
    await go(agent(manager, model, flaky), "hi")
    assert seen == ["no luck"]
    assert model.results()["flaky"] == {"error": "no luck"}
    assert recorder.tools() == [("flaky", "error")]


async def test_a_tool_that_asks_a_person_by_itself_is_no_failure(
    script: Any, agent: Any, go: Any
) -> None:
    def pay(x: str, tool_context: Any) -> dict[str, str]:
        """Ask first."""
        tool_context.request_confirmation(hint="sure?")
        return {"error": "wait"}

    from google.adk.tools.tool_context import ToolContext

    pay.__annotations__["tool_context"] = ToolContext

    class Answering:
        @hookimpl(tools=["pay"])
        def post_tool_call(self, ctx: Any) -> Any:
            return "answered" if ctx.error else None

    manager, recorder = checked(Answering())
    model = script([("pay", {"x": "1"})], "done")
    await go(agent(manager, model, pay), "hi")
    assert recorder.tools() == [("pay", "cancelled")]


async def test_a_tool_below_another_is_one_call(script: Any, agent: Any, go: Any) -> None:
    from google.adk.tools.function_tool import FunctionTool

    class Louder(FunctionTool):  # type: ignore[misc]
        async def run_async(self, *, args: Any, tool_context: Any) -> Any:
            return str(await super().run_async(args=args, tool_context=tool_context)).upper()

    def whisper(text: str) -> str:
        """Say it."""
        return text

    manager, recorder = checked()
    model = script([("whisper", {"text": "hush"})], "done")
    await go(agent(manager, model, Louder(whisper)), "hi")
    assert model.results()["whisper"] == {"result": "HUSH"}
    assert recorder.tools() == [("whisper", "ok")]


async def test_a_tool_that_a_workflow_runs_by_itself_is_judged(
    script: Any, install: Any, run: Any
) -> None:
    from google.adk.tools.function_tool import FunctionTool
    from google.adk.workflow import START, Workflow

    def danger(x: str) -> str:
        """Do something dangerous."""
        raise AssertionError("nobody gets here")

    manager, recorder = checked()
    install(manager)
    workflow = Workflow(name="flow", edges=[(START, FunctionTool(danger))])
    events = await run(workflow, '{"x": "1"}')
    assert recorder.tools() == [("danger", "denied")]
    assert MESSAGE in repr(events)


async def test_a_broken_policy_stops_the_run_though_a_plugin_answers_for_errors(
    script: Any, agent: Any, run: Any
) -> None:
    from google.adk.plugins.base_plugin import BasePlugin

    from hookcore.hosting.checks import PolicyBrokenError

    class Answering(BasePlugin):  # type: ignore[misc]
        async def on_tool_error_callback(self, *, error: Any, **_: Any) -> Any:
            return {"result": f"never mind {error}"}

    manager, recorder = checked()
    model = script([("broken", {"x": "1"})], "went on")
    made, plugins = agent(manager, model), [Answering(name="answering")]
    with pytest.raises(PolicyBrokenError):
        await run(made, "hi", plugins=plugins)
    assert len(model.seen) == 1
    assert recorder.statuses("run_finished") == ["error"]


async def test_a_broken_policy_in_an_agent_that_is_a_tool_stops_both_runs(
    script: Any, agent: Any, run: Any
) -> None:
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.tools.agent_tool import AgentTool

    from hookcore.hosting.checks import PolicyBrokenError

    class Answering(BasePlugin):  # type: ignore[misc]
        async def on_tool_error_callback(self, *, error: Any, **_: Any) -> Any:
            return {"result": f"never mind {error}"}

    manager, recorder = checked()
    inner = agent(manager, script([("broken", {"x": "1"})], "inner"), name="inner")
    outer = script([("inner", {"request": "x"})], "outer")
    tool = AgentTool(inner, include_plugins=False)
    made, plugins = agent(manager, outer, tool), [Answering(name="answering")]
    with pytest.raises(PolicyBrokenError):
        await run(made, "hi", plugins=plugins)
    assert len(outer.seen) == 1
    assert recorder.statuses("run_finished") == ["error", "error"]
