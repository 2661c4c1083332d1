from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import hookimpl
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, Office, PolicyBrokenError, checked

if find_spec("pydantic_ai"):
    from pydantic_ai import RunContext

pytestmark = pytest.mark.asyncio


async def test_a_denied_tool_never_starts_and_the_model_reads_the_message(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    model = script([("danger", {"x": "1"})], "done")
    assert await go(agent(manager, model), "hi") == "done"
    assert office.calls == []
    assert MESSAGE in model.results()["danger"]
    assert REASON not in model.sent()
    assert recorder.tools() == [("danger", "denied")]


async def test_rewritten_input_and_a_replaced_result_are_what_is_used(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    model = script([("add", {"a": 1, "b": 2}), ("lookup", {"key": "k"})], "done")
    await go(agent(manager, model), "hi")
    assert ("add", 11, 2) in office.calls
    assert model.results() == {"add": "13", "lookup": "[replaced]"}
    assert recorder.tools() == [("add", "ok"), ("lookup", "ok")]


async def test_a_tools_result_is_sent_redacted(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, _ = checked()
    model = script([("secret", {"key": "k"})], "done")
    await go(agent(manager, model), "hi")
    assert model.results() == {"secret": "the password is [gone]"}


async def test_call_ids_are_the_models(script: Any, agent: Any, go: Any) -> None:
    manager, recorder = checked()
    model = script([("add", {"a": 1, "b": 2}), ("danger", {"x": ""})], "done")
    await go(agent(manager, model), "hi")
    ends = [end for end in recorder.endings if end.point == "tool_finished"]
    assert {(end.name, end.call_id) for end in ends} == {("add", "c0"), ("danger", "c1")}
    assert len({end.run_id for end in recorder.endings}) == 1


async def test_a_tools_own_failure_goes_on_as_it_is(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    with pytest.raises(ValueError, match="the tool broke"):
        await go(agent(manager, script([("fails", {"x": "1"})], "done")), "hi")
    assert recorder.tools() == [("fails", "error")]
    assert recorder.statuses("run_finished") == ["error"]


async def test_a_policy_that_fails_is_told_to_the_host_and_not_to_the_model(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    model = script([("broken", {"x": "1"})], "went on")
    with pytest.raises(PolicyBrokenError):
        await go(agent(manager, model), "hi")
    assert office.calls == []
    assert len(model.seen) == 1
    assert recorder.tools() == [("broken", "error")]


async def test_parallel_calls_end_once_each(script: Any, agent: Any, office: Office) -> None:
    manager, recorder = checked()
    calls = [("slow", {"n": 3}), ("slow", {"n": 3}), ("danger", {"x": ""}), ("slow", {"n": 3})]
    await agent(manager, script(calls, "done")).run("hi")
    assert office.at_once == 3
    assert recorder.tools() == [("danger", "denied")] + [("slow", "ok")] * 3


async def test_a_cancelled_run_ends_its_calls_once(script: Any, agent: Any, office: Office) -> None:
    manager, recorder = checked()
    model = script([("slow", {"n": 2})], "done")
    task = asyncio.create_task(agent(manager, model).run("hi"))
    await office.started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert recorder.tools() == [("slow", "cancelled")]
    assert recorder.statuses("run_finished") == ["cancelled"]
    assert recorder.statuses("model_finished") == ["ok"]


async def test_a_model_retry_reaches_the_framework_and_is_seen_as_an_error(
    script: Any, agent: Any
) -> None:
    from pydantic_ai import ModelRetry

    manager, recorder = checked()
    model = script([("flaky", {"x": "1"})], [("flaky", {"x": "2"})], "done")
    made = agent(manager, model)

    def flaky(x: str) -> str:
        if x == "1":
            raise ModelRetry("again")
        return "fine"

    made.tool_plain(flaky)

    assert (await made.run("hi")).output == "done"
    assert recorder.tools() == [("flaky", "error"), ("flaky", "ok")]


async def test_an_approval_passes_untouched_and_the_approved_call_is_judged(
    script: Any, agent: Any
) -> None:
    from pydantic_ai import ApprovalRequired, DeferredToolRequests, DeferredToolResults

    class Answering:
        @hookimpl(tools=["pay"])
        def post_tool_call(self, ctx: Any) -> Any:
            return "answered" if ctx.error else None

    manager, recorder = checked(Answering())
    model = script([("pay", {"x": "1"})], "done")
    made = agent(manager, model, output_type=[str, DeferredToolRequests])
    paid = []

    def pay(ctx: RunContext[Any], x: str) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        paid.append(x)
        return "paid"

    made.tool(pay)

    asked = await made.run("hi")
    assert isinstance(asked.output, DeferredToolRequests)
    assert recorder.tools() == [("pay", "cancelled")]
    results = DeferredToolResults(approvals={"c0": True})
    history = asked.all_messages()
    await made.run(message_history=history, deferred_tool_results=results)
    assert paid == ["1"]
    assert recorder.tools() == [("pay", "cancelled"), ("pay", "ok")]


async def test_gates_see_the_defaults_of_a_tool(script: Any, agent: Any) -> None:
    seen = []

    class Watch:
        @hookimpl(tools=["mail"], gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            seen.append(ctx.tool_input)

    manager, _ = checked(Watch())
    made = agent(manager, script([("mail", {"text": "hi"})], "done"))

    def mail(text: str, to: str = "everybody") -> str:
        return f"{text}, {to}"

    made.tool_plain(mail)

    await made.run("hi")
    assert seen == [{"text": "hi", "to": "everybody"}]


async def test_arguments_that_another_capability_changes_are_judged_again(
    script: Any, office: Office
) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.capabilities import AbstractCapability

    from hookcore import Abort
    from hookcore_pydantic_ai import Hookcore

    class Root(AbstractCapability[Any]):  # type: ignore[misc]
        async def before_tool_execute(self, ctx: Any, *, args: Any, **_: Any) -> Any:
            return {**args, "key": "root"}

    class NoRoot:
        @hookimpl(tools=["lookup"], gate=True)
        def pre_tool_call(self, ctx: Any) -> Any:
            return Abort(REASON, message=MESSAGE) if ctx.tool_input["key"] == "root" else None

    manager, _ = checked(NoRoot())
    model = script([("lookup", {"key": "k"})], "done")
    made: Any = Agent(model.model, capabilities=[Hookcore(manager), Root()])
    made.tool_plain(office.lookup)
    await made.run("hi")
    assert office.calls == []


async def test_an_output_function_is_a_tool_and_a_denial_is_a_retry(
    script: Any, agent: Any
) -> None:
    manager, recorder = checked()
    ran = []

    def danger_close(x: str) -> str:
        ran.append(x)
        return x

    def report(x: str) -> str:
        return f"reported {x}"

    model = script(
        [("final_result_danger_close", {"x": "1"})], [("final_result_report", {"x": "2"})]
    )
    made = agent(manager, model, output_type=[danger_close, report])
    assert (await made.run("hi")).output == "reported 2"
    assert ran == []
    assert MESSAGE in model.sent()
    assert recorder.tools() == [("danger_close", "denied"), ("report", "ok")]


async def test_secrets_stay_in_the_agents_own_history(script: Any, agent: Any) -> None:
    manager, _ = checked()
    result = await agent(manager, script("done")).run(f"it is {SECRET}")
    assert SECRET in repr(result.all_messages())
