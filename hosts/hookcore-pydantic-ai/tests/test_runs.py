from __future__ import annotations

from typing import Any

import pytest

from hookcore import Abort, hookimpl
from hookcore.hosting import PolicyDenied
from hookcore.hosting.checks import MESSAGE, REASON, Office, checked

pytestmark = pytest.mark.asyncio


async def test_a_run_has_the_frameworks_id_and_ends_once(script: Any, agent: Any, go: Any) -> None:
    manager, recorder = checked()
    await go(agent(manager, script("done"), name="helper"), "hi")
    assert recorder.statuses("run_finished") == ["ok"]
    (run,) = recorder.begun
    assert run.agent.name == "helper"
    assert {end.run_id for end in recorder.endings} == {run.run_id}
    assert run.session_id


async def test_a_prompt_that_policies_change_is_what_is_sent(
    script: Any, agent: Any, go: Any
) -> None:
    class Prompting:
        @hookimpl
        def pre_run(self, ctx: Any) -> Any:
            return f"changed {ctx.payload}"

    manager, _ = checked(Prompting())
    model = script("done")
    await go(agent(manager, model), "hi")
    assert "content='changed hi'" in model.sent()


async def test_an_output_that_policies_change_is_what_the_program_gets(
    script: Any, agent: Any
) -> None:
    class Loud:
        @hookimpl
        def output(self, ctx: Any) -> Any:
            return ctx.payload.upper()

    manager, _ = checked(Loud())
    result = await agent(manager, script("done")).run("hi")
    assert result.output == "DONE"
    assert len(result.all_messages()) == 2


@pytest.mark.parametrize("point", ["execution_start", "input", "pre_run"])
async def test_a_denied_run_asks_no_model(point: str, script: Any, agent: Any, go: Any) -> None:
    def deny(self: Any, ctx: Any) -> Any:
        return Abort(REASON, message=MESSAGE)

    policy = type("Denying", (), {point: hookimpl(deny)})
    deny.__name__ = point
    manager, recorder = checked(policy())
    model = script("done")
    with pytest.raises(PolicyDenied) as caught:
        await go(agent(manager, model), "hi")
    assert str(caught.value) == MESSAGE
    assert model.seen == []
    assert recorder.statuses("run_finished") == ["denied"]


async def test_a_denied_output_reaches_nobody(script: Any, agent: Any) -> None:
    class Denying:
        @hookimpl(gate=True)
        def output(self, ctx: Any) -> Any:
            return Abort(REASON, message=MESSAGE)

    manager, recorder = checked(Denying())
    with pytest.raises(PolicyDenied) as caught:
        await agent(manager, script("done")).run("hi")
    assert str(caught.value) == MESSAGE
    assert recorder.statuses("run_finished") == ["denied"]


async def test_a_hook_may_put_a_value_in_the_place_of_a_failure(script: Any, agent: Any) -> None:
    class Recovering:
        @hookimpl
        def post_run(self, ctx: Any) -> Any:
            return "sorry" if ctx.error is not None else None

    manager, recorder = checked(Recovering())
    made = agent(manager, script([("fails", {"x": "1"})]))
    assert (await made.run("hi")).output == "sorry"
    assert recorder.statuses("run_finished") == ["ok"]


async def test_a_sub_agent_is_a_sub_run_and_its_tools_are_judged(
    script: Any, agent: Any, office: Office
) -> None:
    manager, recorder = checked()
    inner = agent(manager, script([("danger", {"x": "1"})], "inner"), name="inner")
    outer = agent(manager, script([("delegate", {"task": "x"})], "outer"), name="outer")

    async def delegate(task: str) -> str:
        return str((await inner.run(task)).output)

    outer.tool_plain(delegate)

    assert (await outer.run("hi")).output == "outer"
    (first, none), (second, parent) = recorder.runs()
    assert (none, parent) == (None, first)
    assert second != first
    assert office.calls == []
    assert recorder.tools() == [("danger", "denied"), ("delegate", "ok")]
    assert recorder.statuses("run_finished") == ["ok", "ok"]


async def test_a_run_that_is_left_early_is_cancelled(script: Any, agent: Any) -> None:
    manager, recorder = checked()
    async with agent(manager, script("done")).iter("hi") as run:
        async for _ in run:
            break
    assert recorder.statuses("run_finished") == ["cancelled"]
