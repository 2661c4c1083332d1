from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from hookcore import Abort, HookManager, hookimpl
from hookcore.hosting import PolicyDenied, RuntimeVersionError
from hookcore.hosting.checks import MESSAGE, REASON, Office, checked

if find_spec("agents"):
    import agents

pytestmark = pytest.mark.asyncio


async def test_an_input_that_policies_change_is_what_is_sent(
    script: Any, agent: Any, go: Any
) -> None:
    class Prompting:
        @hookimpl
        def pre_run(self, ctx: Any) -> Any:
            return f"changed {ctx.payload}"

    manager, _ = checked(Prompting())
    model = script("done")
    result = await go(agent(manager, model), "hi")
    assert [item["content"] for item in model.calls[0].input] == ["changed hi"]
    assert "changed hi" in repr(result.to_input_list())


async def test_an_output_that_policies_change_is_what_the_program_gets(
    script: Any, agent: Any, go: Any
) -> None:
    class Loud:
        @hookimpl
        def output(self, ctx: Any) -> Any:
            return ctx.payload.upper()

    manager, _ = checked(Loud())
    assert (await go(agent(manager, script("done")), "hi")).final_output == "DONE"


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


async def test_an_agent_as_a_tool_is_a_sub_run_and_its_tools_are_judged(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    inner = agent(manager, script([("danger", {"x": "1"})], "inner"), name="inner")
    model = script([("ask", {"input": "x"})], "outer")
    outer = agent(manager, model, inner.as_tool("ask", "ask it"), name="outer")
    assert (await go(outer, "hi")).final_output == "outer"
    (first, none), (second, parent) = recorder.runs()
    assert (none, parent) == (None, first)
    assert second != first
    assert office.calls == []
    assert recorder.tools() == [("ask", "ok"), ("danger", "denied")]
    assert recorder.statuses("run_finished") == ["ok", "ok"]


async def test_a_hand_off_passes_and_policies_hold_behind_it(
    script: Any, agent: Any, office: Office, go: Any
) -> None:
    manager, recorder = checked()
    second = agent(manager, script([("danger", {"x": "1"})], "done"), name="second")
    model = script([("transfer_to_second", {})], prefix="h")
    result = await go(agent(manager, model, name="first", handoffs=[second]), "hi")
    assert result.last_agent is second
    assert office.calls == []
    assert recorder.tools() == [("danger", "denied")]
    assert len(recorder.runs()) == 1


async def test_uninstall_puts_the_sdks_own_back(
    script: Any, agent: Any, office: Office, install: Any
) -> None:
    from hookcore_openai_agents import uninstall

    first, recorder = checked()
    second, other = checked()
    made = agent(first, script([("danger", {"x": "1"})], "one", [("danger", {"x": "2"})], "two"))
    install(second)  # only the manager changes
    await agents.Runner.run(made, "hi")
    uninstall()
    uninstall()
    await agents.Runner.run(made, "hi")
    assert recorder.tools() == []
    assert other.tools() == [("danger", "denied")]
    assert office.calls == [("danger", "2")]


async def test_an_untested_version_is_refused_unless_the_risk_is_accepted(
    install: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib_metadata

    monkeypatch.setattr(importlib_metadata, "version", lambda _: "0.25.0")
    with pytest.raises(RuntimeVersionError, match="accept the risk with accept_untested=True"):
        install(HookManager())
    manager = HookManager()
    assert install(manager, accept_untested=True) is manager
