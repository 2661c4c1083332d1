from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, REASON, Office, PolicyBrokenError, checked

if find_spec("agents"):
    import agents

pytestmark = pytest.mark.asyncio


async def test_a_denied_tool_never_starts_and_the_model_reads_the_message(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    model = script([("danger", {"x": "1"})], "done")
    assert (await go(agent(manager, model), "hi")).final_output == "done"
    assert office.calls == []
    assert MESSAGE in model.results()["c0"]
    assert REASON not in model.sent()
    assert recorder.tools() == [("danger", "denied")]


async def test_rewritten_input_and_a_replaced_result_are_what_is_used(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    model = script([("add", {"a": 1, "b": 2}), ("lookup", {"key": "k"})], "done")
    await go(agent(manager, model), "hi")
    assert ("add", 11, 2) in office.calls
    assert model.results() == {"c0": "13", "c1": "[replaced]"}
    assert recorder.tools() == [("add", "ok"), ("lookup", "ok")]


async def test_a_tools_result_is_sent_redacted(script: Any, agent: Any, go: Any) -> None:
    manager, _ = checked()
    model = script([("secret", {"key": "k"})], "done")
    await go(agent(manager, model), "hi")
    assert model.results() == {"c0": "the password is [gone]"}


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


async def test_a_hook_may_answer_for_a_failed_tool(script: Any, agent: Any, go: Any) -> None:
    class Answering:
        @hookimpl(tools=["fails"])
        def post_tool_call(self, ctx: Any) -> Any:
            return "sorry" if ctx.error else None

    manager, _ = checked(Answering())
    model = script([("fails", {"x": "1"})], "done")
    await go(agent(manager, model), "hi")
    assert model.results() == {"c0": "sorry"}


async def test_a_policy_that_fails_is_told_to_the_host_and_not_to_the_model(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    model = script([("broken", {"x": "1"})], "went on")
    with pytest.raises(PolicyBrokenError):
        await go(agent(manager, model), "hi")
    assert office.calls == []
    assert len(model.calls) == 1
    assert recorder.tools() == [("broken", "error")]


async def test_parallel_calls_end_once_each(script: Any, agent: Any, office: Office) -> None:
    manager, recorder = checked()
    calls = [("slow", {"n": 3}), ("slow", {"n": 3}), ("danger", {"x": ""}), ("slow", {"n": 3})]
    await agents.Runner.run(agent(manager, script(calls, "done")), "hi")
    assert office.at_once == 3
    assert recorder.tools() == [("danger", "denied")] + [("slow", "ok")] * 3


async def test_a_cancelled_run_ends_its_calls_once(script: Any, agent: Any, office: Office) -> None:
    manager, recorder = checked()
    made = agent(manager, script([("slow", {"n": 2})], "done"))
    task = asyncio.create_task(agents.Runner.run(made, "hi"))
    await office.started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert recorder.tools() == [("slow", "cancelled")]
    assert recorder.statuses("run_finished") == ["cancelled"]
    assert recorder.statuses("model_finished") == ["ok"]


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


async def test_gates_see_the_defaults_of_a_tool(script: Any, agent: Any, go: Any) -> None:
    seen = []

    class Watch:
        @hookimpl(tools=["mail"], gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            seen.append(ctx.tool_input)

    def mail(text: str, to: str = "everybody") -> str:
        return f"{text}, {to}"

    manager, _ = checked(Watch())
    model = script([("mail", {"text": "hi"})], "done")
    tool = agents.function_tool(mail, strict_mode=False)
    await go(agent(manager, model, tool), "hi")
    assert seen == [{"text": "hi", "to": "everybody"}]
    assert model.results() == {"c0": "hi, everybody"}


async def test_arguments_that_are_no_json_never_reach_the_tool(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, _ = checked()
    model = script([("lookup", "{nonsense")], "done")
    with suppress(PolicyDenied):  # a stream's call is denied before it leaves
        await go(agent(manager, model), "hi")
        assert "c0" in model.results()
    assert office.calls == []
