from __future__ import annotations

from typing import Any

import pytest

from hookcore import Replace, hookimpl
from hookcore.hosting.checks import MESSAGE, REASON, Office, PolicyBrokenError, checked

pytestmark = pytest.mark.asyncio


async def test_a_call_by_the_program_itself_is_judged(
    script: Any, agent: Any, office: Office
) -> None:
    manager, recorder = checked()
    made = agent(manager, script())
    assert made.tool.add(a=1, record_direct_tool_call=False)["content"] == [{"text": "13"}]
    denied = made.tool.danger(x="1", record_direct_tool_call=False)
    assert MESSAGE in denied["content"][0]["text"]
    assert REASON not in repr(denied)
    assert office.calls == [("add", 11, 2)]
    assert recorder.tools() == [("add", "ok"), ("danger", "denied")]


async def test_a_result_of_several_blocks_is_shown_as_they_are(
    script: Any, agent: Any, call: Any, go: Any
) -> None:
    from strands import tool

    content = [{"text": "hunter2"}, {"json": {"password": "hunter2"}}]

    @tool  # type: ignore[untyped-decorator]
    def blocks() -> Any:
        """Return two blocks."""
        return {"status": "success", "content": content}

    class Redact:
        @hookimpl(tools=["blocks"])
        def post_tool_call(self, ctx: Any) -> None:
            assert len(ctx.tool_result) == 2
            ctx.texts().replace(lambda text: text.replace("hunter2", "[gone]"))

    manager, _ = checked(Redact())
    model = script([call("blocks")], "done")
    await go(agent(manager, model, blocks), "hi")
    told = [{"text": "[gone]"}, {"json": {"password": "[gone]"}}]
    assert model.results() == {"c0": told}


async def test_a_value_that_is_no_text_is_told_as_one(
    script: Any, agent: Any, call: Any, go: Any
) -> None:
    class Number:
        @hookimpl(tools=["add"])
        def post_tool_call(self, ctx: Any) -> Any:
            return Replace(7)

    manager, _ = checked(Number())
    model = script([call("add", a=1)], "done")
    await go(agent(manager, model), "hi")
    assert model.results() == {"c0": [{"text": "7"}]}


async def test_a_tool_that_says_that_it_failed_is_seen_to_fail(
    script: Any, agent: Any, call: Any, go: Any
) -> None:
    from strands import tool

    @tool  # type: ignore[untyped-decorator]
    def failing() -> Any:
        """Fail."""
        return {"status": "error", "content": [{"text": "it is broken"}]}

    errors: list[Any] = []

    class Watch:
        @hookimpl(tools=["failing"])
        def post_tool_call(self, ctx: Any) -> None:
            errors.append(str(ctx.error))

    manager, recorder = checked(Watch())
    model = script([call("failing")], "done")
    await go(agent(manager, model, failing), "hi")
    assert errors == ["it is broken"]
    assert recorder.tools() == [("failing", "error")]
    assert model.results() == {"c0": [{"text": "it is broken"}]}


async def test_an_agent_as_a_tool_is_a_sub_run_and_its_tools_are_judged(
    script: Any, agent: Any, call: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    inner = agent(manager, script([call("danger", x="1")], "inner"), name="inner")
    outer = agent(manager, script([call("inner", input="x")], "outer"), inner, name="outer")
    assert str(await go(outer, "hi")).strip() == "outer"
    (first, none), (second, parent) = recorder.runs()
    assert (none, parent) == (None, first)
    assert second != first
    assert office.calls == []
    assert recorder.tools() == [("danger", "denied"), ("inner", "ok")]


async def test_middleware_of_the_agents_own_stands_outside(
    script: Any, agent: Any, call: Any, office: Office
) -> None:
    stages = pytest.importorskip("strands.middleware", reason="it is private before 1.62")
    manager, recorder = checked()
    made = agent(manager, script([call("add", a=1)], "done"))

    async def dangerous(context: Any, call_next: Any) -> Any:
        use = {**context.tool_use, "name": "danger", "input": {"x": "1"}}
        tool = context.agent.tool_registry.registry["danger"]
        async for event in call_next(context.replace(tool_use=use, tool=tool)):
            yield event

    made.add_middleware(stages.ExecuteToolStage, dangerous)
    await made.invoke_async("hi")
    assert office.calls == []
    assert recorder.tools() == [("danger", "denied")]


@pytest.mark.parametrize("point", ["pre_tool_call", "pre_model_call", "post_model_call"])
async def test_a_policy_that_fails_in_a_sub_agent_stops_the_agents_around_it(  # noqa: PLR0917
    script: Any, agent: Any, call: Any, office: Office, go: Any, point: str
) -> None:
    def fail(self: Any, ctx: Any) -> None:
        if ctx.agent.name == "inner":
            raise PolicyBrokenError("the policy is broken")

    fail.__name__ = point
    policy = type("Failing", (), {point: hookimpl(on_error="raise")(fail)})
    manager, recorder = checked(policy())
    inner = agent(manager, script([call("add", a=1)], "inner"), name="inner")
    model = script([call("inner", input="x")], "went on")
    with pytest.raises(PolicyBrokenError):
        await go(agent(manager, model, inner, name="outer"), "hi")
    assert len(model.sent) == 1
    assert office.calls == []
    assert recorder.statuses("run_finished") == ["error", "error"]
