from __future__ import annotations

import logging
from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting import PolicyDenied, RuntimeVersionError
from hookcore.hosting.checks import MESSAGE, Office, checked

pytestmark = pytest.mark.asyncio


async def test_an_output_that_policies_change_is_what_the_program_gets(
    script: Any, agent: Any, go: Any
) -> None:
    class Loud:
        @hookimpl
        def output(self, ctx: Any) -> Any:
            return ctx.payload.upper()

    manager, _ = checked(Loud())
    assert str(await go(agent(manager, script("done")), "hi")).strip() == "DONE"


async def test_a_structured_output_is_what_policies_at_the_output_see(
    script: Any, agent: Any, call: Any
) -> None:
    from pydantic import BaseModel

    class Answer(BaseModel):
        text: str

    class Loud:
        @hookimpl
        def output(self, ctx: Any) -> Any:
            return Answer(text=ctx.payload.text.upper())

    manager, recorder = checked(Loud())
    made = agent(manager, script([call("Answer", text="fine")], "done"))
    result = await made.invoke_async("hi", structured_output_model=Answer)
    assert result.structured_output == Answer(text="FINE")
    assert recorder.tools() == [("Answer", "ok")]


async def test_what_the_stream_says_of_a_denial_is_its_message(script: Any, agent: Any) -> None:
    manager, _ = checked()
    told: list[Any] = []

    async def read() -> None:
        async for event in agent(manager, script("done")).stream_async("STOP"):
            told.append(event)  # noqa: PERF401 - what came before the failure counts

    with pytest.raises(PolicyDenied, match=MESSAGE):
        await read()
    assert [event["force_stop_reason"] for event in told if "force_stop" in event] == [MESSAGE]


async def test_a_summarizing_manager_is_told_of(
    script: Any, agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    from strands.agent.conversation_manager import SummarizingConversationManager

    manager, _ = checked()
    options = {"conversation_manager": SummarizingConversationManager(), "name": "main"}
    made = agent(manager, script("one", "two"), **options)
    with caplog.at_level(logging.WARNING, logger="hookcore_strands"):
        await made.invoke_async("hi")
        await made.invoke_async("hi")
    (line,) = [record.getMessage() for record in caplog.records if "hookcore" in record.name]
    assert "the agent main has a SummarizingConversationManager, whose own requests" in line


async def test_uninstall_puts_strands_own_back(
    script: Any, agent: Any, call: Any, office: Office, install: Any
) -> None:
    from hookcore_strands import uninstall

    first, recorder = checked()
    second, other = checked()
    steps = [[call("danger", x="1")], "one", [call("danger", "c1", x="2")], "two"]
    made = agent(first, script(*steps))
    install(second)  # only the manager changes
    await made.invoke_async("hi")
    uninstall()
    uninstall()
    await made.invoke_async("hi")
    assert recorder.tools() == []
    assert other.tools() == [("danger", "denied")]
    assert office.calls == [("danger", "2")]


async def test_an_untested_version_is_refused_unless_the_risk_is_accepted(
    install: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib_metadata

    monkeypatch.setattr(importlib_metadata, "version", lambda _: "1.63.0")
    with pytest.raises(RuntimeVersionError, match="accept the risk with accept_untested=True"):
        install(HookManager())
    manager = HookManager()
    assert install(manager, accept_untested=True) is manager
