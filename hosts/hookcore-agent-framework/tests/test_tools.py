from __future__ import annotations

from typing import Any

import pytest

from hookcore import Replace, hookimpl
from hookcore.hosting.checks import MESSAGE, Office, PolicyBrokenError, checked

pytestmark = pytest.mark.asyncio


async def test_an_agent_as_a_tool_is_a_sub_run_and_its_tools_are_judged(
    script: Any, agent: Any, call: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    inner = agent(
        manager, script([call("danger", x="1")], "inner"), name="inner", description="asks"
    )
    client = script([call("inner", task="x")], "outer")
    outer = agent(manager, client, inner.as_tool(), name="outer")
    assert (await go(outer, "hi")).text.strip() == "outer"
    (first, none), (second, parent) = recorder.runs()
    assert (none, parent) == (None, first)
    assert second != first
    assert [begun.agent.name for begun in recorder.begun] == ["outer", "inner"]
    assert office.calls == []
    assert recorder.tools() == [("danger", "denied"), ("inner", "ok")]
    assert recorder.statuses("run_finished") == ["ok", "ok"]


async def test_a_result_of_several_contents_is_shown_as_they_are(
    script: Any, agent: Any, call: Any, go: Any
) -> None:
    import agent_framework as af

    def several() -> Any:
        """Return two contents."""
        return [af.Content.from_text("hunter2"), af.Content.from_text("more hunter2")]

    class Redact:
        @hookimpl(tools=["several"])
        def post_tool_call(self, ctx: Any) -> None:
            assert len(ctx.tool_result) == 2
            ctx.texts().replace(lambda text: text.replace("hunter2", "[gone]"))

    manager, _ = checked(Redact())
    client = script([call("several")], "done")
    tool = af.FunctionTool(name="several", description="d", func=several)
    await go(agent(manager, client, tool), "hi")
    assert "hunter2" not in repr(client.sent)
    assert "more [gone]" in repr(client.sent)


async def test_a_value_that_is_no_text_is_told_as_one(
    script: Any, agent: Any, call: Any, go: Any
) -> None:
    class Number:
        @hookimpl(tools=["lookup"], priority=200)
        def post_tool_call(self, ctx: Any) -> Any:
            return Replace(7)

    manager, _ = checked(Number())
    client = script([call("lookup", key="k")], "done")
    await go(agent(manager, client), "hi")
    assert client.results() == {"c0": "7"}


async def test_a_policys_own_failure_is_what_the_program_gets(
    script: Any, agent: Any, call: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    with pytest.raises(PolicyBrokenError):
        await go(agent(manager, script([call("broken", x="1")], "went on")), "hi")
    assert office.calls == []
    assert recorder.statuses("run_finished") == ["error"]


async def test_what_middleware_ends_the_loop_with_is_judged(
    script: Any, agent: Any, call: Any, go: Any
) -> None:
    import agent_framework as af

    class Ending(af.FunctionMiddleware):  # type: ignore[misc]
        async def process(self, context: Any, call_next: Any) -> None:
            context.result = "raw-value"
            raise af.MiddlewareTermination("that is all")

    manager, recorder = checked()
    made = agent(manager, script([call("lookup", key="k")], "done"))
    made.middleware = [*made.middleware, Ending()]  # inside of hookcore's
    response = await go(made, "hi")
    assert "[replaced]" in repr([message.to_dict() for message in response.messages])
    assert "raw-value" not in repr([message.to_dict() for message in response.messages])
    assert recorder.tools() == [("lookup", "ok")]


async def test_an_approval_that_middleware_asks_for_is_no_failure(
    script: Any, agent: Any, call: Any, office: Office
) -> None:
    import agent_framework as af

    class Asking(af.FunctionMiddleware):  # type: ignore[misc]
        async def process(self, context: Any, call_next: Any) -> None:
            if "approval_response" in context.metadata:
                await call_next()
                return
            wanted = af.Content.from_function_call(
                context.metadata["call_id"], context.function.name, arguments=context.arguments
            )
            context.result = af.Content.from_function_approval_request("a1", wanted)

    class Answering:
        @hookimpl
        def post_tool_call(self, ctx: Any) -> Any:
            return "answered" if ctx.error else None

    manager, recorder = checked(Answering())
    made = agent(manager, script([call("add", a=1, b=2)], "done"))
    made.middleware = [*made.middleware, Asking()]
    asked = await made.run("hi")
    assert [request.type for request in asked.user_input_requests] == ["function_approval_request"]
    assert office.calls == []
    assert recorder.tools() == [("add", "cancelled")]


async def test_a_tool_of_a_client_without_an_agent_is_judged(
    script: Any, call: Any, office: Office, install: Any
) -> None:
    import agent_framework as af

    manager, recorder = checked()
    install(manager)
    client = script([call("danger", x="1")], "done")
    tool = af.FunctionTool(name="danger", description="d", func=office.danger)
    await client.get_response([af.Message("user", ["hi hunter2"])], options={"tools": [tool]})
    assert office.calls == []
    assert MESSAGE in client.results()["c0"]
    assert "hunter2" not in repr(client.sent)
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
    inner = agent(
        manager, script([call("add", a=1, b=2)], "inner"), name="inner", description="asks"
    )
    client = script([call("inner", task="x")], "went on")
    with pytest.raises(PolicyBrokenError):
        await go(agent(manager, client, inner.as_tool(), name="outer"), "hi")
    assert len(client.sent) == 1
    assert office.calls == []
    assert recorder.statuses("run_finished") == ["error", "error"]
