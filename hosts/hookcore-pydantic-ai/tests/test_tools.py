from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import hookimpl
from hookcore.hosting.checks import MESSAGE, REASON, SECRET, Office, checked

if find_spec("pydantic_ai"):
    from pydantic_ai import RunContext

pytestmark = pytest.mark.asyncio


async def test_a_tools_own_failure_goes_on_as_it_is(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    with pytest.raises(ValueError, match="the tool broke"):
        await go(agent(manager, script([("fails", {"x": "1"})], "done")), "hi")
    assert recorder.tools() == [("fails", "error")]
    assert recorder.statuses("run_finished") == ["error"]


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
