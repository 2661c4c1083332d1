from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import Abort, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, REASON, Office, checked

if find_spec("langchain"):
    from langchain_core.tools import StructuredTool

pytestmark = pytest.mark.asyncio


async def test_a_run_has_the_agents_name_and_ends_once(script: Any, agent: Any, go: Any) -> None:
    manager, recorder = checked()
    await go(agent(manager, script("done"), name="helper"), "hi")
    assert recorder.statuses("run_finished") == ["ok"]
    assert [run.agent for run in recorder.begun] == ["helper"]


async def test_an_input_that_policies_change_is_what_is_sent(
    script: Any, agent: Any, go: Any
) -> None:
    class Prompting:
        @hookimpl
        def pre_run(self, ctx: Any) -> Any:
            return {"messages": [{"role": "user", "content": "changed"}]}

    manager, _ = checked(Prompting())
    model = script("done")
    await go(agent(manager, model), "hi")
    assert [message.content for message in model.seen[0]] == ["changed"]


async def test_an_output_that_policies_change_is_what_the_program_gets(
    script: Any, agent: Any, go: Any, request: pytest.FixtureRequest
) -> None:
    class Loud:
        @hookimpl
        def output(self, ctx: Any) -> None:
            ctx.texts().replace(str.upper)

    if go.__name__ == "by_events":
        reason = "LangGraph tells of a run's end before the run is over"
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    manager, _ = checked(Loud())
    assert await go(agent(manager, script("done")), "hi") == "DONE"


@pytest.mark.parametrize("point", ["execution_start", "input", "pre_run", "post_run", "output"])
async def test_a_denied_run_gives_nothing(point: str, script: Any, agent: Any, go: Any) -> None:
    def deny(self: Any, ctx: Any) -> Any:
        return Abort(REASON, message=MESSAGE)

    deny.__name__ = point
    policy = type("Denying", (), {point: hookimpl(deny)})
    manager, recorder = checked(policy())
    with pytest.raises(PolicyDenied) as caught:
        await go(agent(manager, script("done")), "hi")
    assert str(caught.value) == MESSAGE
    assert recorder.statuses("run_finished") == ["denied"]


async def test_a_sub_agent_is_a_sub_run_and_its_tools_are_judged(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    inner = agent(manager, script([("danger", {"x": "1"})], "inner"), name="inner")

    def delegate(task: str) -> str:
        """Let another agent do it."""
        return str(inner.invoke({"messages": [task]})["messages"][-1].content)

    async def adelegate(task: str) -> str:
        return str((await inner.ainvoke({"messages": [task]}))["messages"][-1].content)

    own = [StructuredTool.from_function(delegate, coroutine=adelegate, name="delegate")]
    outer = agent(manager, script([("delegate", {"task": "x"})], "outer"), own, name="outer")
    assert await go(outer, "hi") == "outer"
    (first, none), (second, parent) = recorder.runs()
    assert (none, parent) == (None, first)
    assert second != first
    assert office.calls == []
    assert recorder.tools() == [("danger", "denied"), ("delegate", "ok")]
    assert recorder.statuses("run_finished") == ["ok", "ok"]


async def test_the_middleware_alone_governs_tools_and_models(
    script: Any, tools: list[Any], office: Office
) -> None:
    from langchain.agents import create_agent

    from hookcore_langchain import Hookcore

    manager, recorder = checked()
    model = script([("danger", {"x": "1"})], "done")
    made: Any = create_agent(model, tools, middleware=[Hookcore(manager)])
    await made.ainvoke({"messages": ["hi"]})
    assert MESSAGE in model.results()["danger"]
    assert recorder.runs() == []
