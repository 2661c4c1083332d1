from __future__ import annotations

from typing import Any

import pytest

from hookcore import Abort, HookManager, hookimpl
from hookcore.hosting import PolicyDenied, RuntimeVersionError
from hookcore.hosting.checks import MESSAGE, REASON, Office, checked

pytestmark = pytest.mark.asyncio


async def test_a_run_is_of_its_session(script: Any, agent: Any, go: Any) -> None:
    manager, recorder = checked()
    made = agent(manager, script("done"), name="main")
    session = made.create_session()
    await go(made, "hi", session=session)
    (begun,) = recorder.begun
    assert (begun.agent.name, begun.session_id) == ("main", session.session_id)


async def test_a_text_may_take_the_place_of_the_response(script: Any, agent: Any, go: Any) -> None:
    class Other:
        @hookimpl
        def output(self, ctx: Any) -> Any:
            return f"changed {ctx.payload.text.strip()}"

    manager, _ = checked(Other())
    assert (await go(agent(manager, script("done")), "hi")).text == "changed done"


async def test_what_middleware_ends_the_run_with_is_judged(
    script: Any, agent: Any, go: Any
) -> None:
    import agent_framework as af

    response = af.AgentResponse(messages=[af.Message("assistant", ["the answer"])])

    class Ending(af.AgentMiddleware):  # type: ignore[misc]
        async def process(self, context: Any, call_next: Any) -> None:
            context.result = response
            if context.stream:
                context.result = af.ResponseStream(_updates(), finalizer=lambda _: response)
            raise af.MiddlewareTermination("that is all")

    async def _updates() -> Any:
        yield af.AgentResponseUpdate(contents=[af.Content.from_text("the answer")])

    class Deny:
        @hookimpl(gate=True)
        def output(self, ctx: Any) -> Any:
            return Abort(REASON, message=MESSAGE) if "answer" in ctx.payload.text else None

    manager, recorder = checked(Deny())
    made = agent(manager, script("done"))
    made.middleware = [*made.middleware, Ending()]  # inside of hookcore's
    with pytest.raises(PolicyDenied, match=MESSAGE):
        await go(made, "hi")
    assert recorder.statuses("run_finished") == ["denied"]


async def test_all_agents_are_governed_and_those_with_their_own_by_that(  # noqa: PLR0917
    script: Any, agent: Any, call: Any, office: Office, install: Any, go: Any
) -> None:
    import agent_framework as af

    from hookcore_agent_framework import uninstall

    whole, recorder = checked()
    install(HookManager())
    install(whole)  # only the manager changes
    tool = af.FunctionTool(name="danger", description="d", func=office.danger)
    bare = af.Agent(script([call("danger", x="1")], "one", [call("danger", x="2")], "two"))
    await go(bare, "hi", options={"tools": [tool]})
    assert recorder.tools() == [("danger", "denied")]
    own, other = checked()
    await go(agent(own, script([call("danger", x="3")], "one")), "hi")
    assert (other.tools(), len(recorder.tools())) == ([("danger", "denied")], 1)
    uninstall()
    uninstall()
    await go(bare, "hi", options={"tools": [tool]})
    assert office.calls == [("danger", "2")]


async def test_an_untested_version_is_refused_unless_the_risk_is_accepted(
    install: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib_metadata

    monkeypatch.setattr(importlib_metadata, "version", lambda _: "1.24.0")
    with pytest.raises(RuntimeVersionError, match="accept the risk with accept_untested=True"):
        install(HookManager())
    manager = HookManager()
    assert install(manager, accept_untested=True) is manager
