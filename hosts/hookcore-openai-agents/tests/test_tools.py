from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore.hosting.checks import Office, checked

if find_spec("agents"):
    import agents

pytestmark = pytest.mark.asyncio


async def test_call_ids_are_the_models_and_the_run_is_one(script: Any, agent: Any, go: Any) -> None:
    manager, recorder = checked()
    model = script([("add", {"a": 1, "b": 2}), ("danger", {"x": ""})], "done")
    await go(agent(manager, model), "hi")
    ends = [end for end in recorder.endings if end.point == "tool_finished"]
    assert {(end.name, end.call_id) for end in ends} == {("add", "c0"), ("danger", "c1")}
    (run,) = recorder.begun
    assert run.agent.name == "main"
    assert {end.run_id for end in recorder.endings} == {run.run_id}


async def test_a_failure_that_the_model_is_told_is_seen_and_goes_on_as_it_is(
    script: Any, agent: Any, go: Any
) -> None:
    manager, recorder = checked()
    model = script([("fails", {"x": "1"})], "done")
    assert (await go(agent(manager, model), "hi")).final_output == "done"
    assert "An error occurred" in model.results()["c0"]
    assert recorder.tools() == [("fails", "error")]
    assert [end.error for end in recorder.endings if end.name] == ["ValueError"]


async def test_a_failure_that_stops_the_run_goes_on_as_it_is(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    model = script([("raises", {"x": "1"})], "done")
    raises = agents.function_tool(office.fails, name_override="raises", failure_error_function=None)
    with pytest.raises(agents.UserError, match="the tool broke"):
        await go(agent(manager, model, raises), "hi")
    assert recorder.tools() == [("raises", "error")]
    assert recorder.statuses("run_finished") == ["error"]


async def test_an_approval_comes_before_the_call_and_the_approved_call_is_judged(
    script: Any, agent: Any, go: Any
) -> None:
    paid = []

    def pay(x: str) -> str:
        paid.append(x)
        return "paid"

    manager, recorder = checked()
    model = script([("pay", {"x": "1"}), ("danger", {"x": ""})], "done")
    tool = agents.function_tool(pay, needs_approval=True)
    made = agent(manager, model, tool)
    asked = await go(made, "hi")
    assert [item.name for item in asked.interruptions] == ["pay"]
    assert paid == []
    state = asked.to_state()
    state.approve(asked.interruptions[0])
    assert (await go(made, state)).final_output == "done"
    assert paid == ["1"]
    assert recorder.tools() == [("danger", "denied"), ("pay", "ok")]
    assert recorder.statuses("run_finished") == ["ok", "ok"]


async def test_a_tool_of_another_kind_is_told_of(
    script: Any, agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    manager, _ = checked()
    made = agent(manager, script("one", "two"), agents.WebSearchTool())
    with caplog.at_level(logging.WARNING, logger="hookcore_openai_agents"):
        await agents.Runner.run(made, "hi")
        await agents.Runner.run(made, "hi")
    (line,) = [record.getMessage() for record in caplog.records]
    assert "the agent main has a WebSearchTool, whose calls no policy of hookcore sees" in line
