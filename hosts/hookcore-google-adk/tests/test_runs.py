from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookManager, hookimpl
from hookcore.hosting import current_run
from hookcore.hosting.checks import Recorder, checked

pytestmark = pytest.mark.asyncio


async def test_a_run_knows_its_agent_its_session_and_its_user(
    script: Any, agent: Any, go: Any
) -> None:
    manager, recorder = checked()
    await go(agent(manager, script("done"), name="helper"), "hi")
    (run,) = recorder.begun
    assert run.agent.name == "helper"
    assert run.session_id == "s"
    assert run.attributes == {"app_name": "app", "user_id": "u"}


async def test_a_message_that_policies_give_as_a_text_is_what_is_sent(
    script: Any, agent: Any, go: Any
) -> None:
    class Asking:
        @hookimpl
        def pre_run(self, ctx: Any) -> Any:
            return "another question"

    manager, _ = checked(Asking())
    model = script("done")
    await go(agent(manager, model), "hi")
    assert "another question" in model.sent()


@pytest.mark.parametrize("stream", [False, True])
async def test_an_output_that_policies_give_as_a_text_is_what_the_program_gets(
    *, stream: bool, script: Any, agent: Any, run: Any
) -> None:
    class Loud:
        @hookimpl
        def output(self, ctx: Any) -> Any:
            return "LOUD"

    manager, _ = checked(Loud())
    made = agent(manager, script([("lookup", {"key": "k"})], "the answer"))
    events = await run(made, "hi", stream=stream)
    assert events[-1].content.parts[0].text == "LOUD"
    assert events[-1].author == "main"
    assert "the answer" not in repr(events)
    assert len(events) == 3


async def test_runs_that_are_read_in_turns_keep_apart_and_out_of_their_reader(
    script: Any, agent: Any, read: Any
) -> None:
    manager, recorder = checked()
    live = []
    for _ in range(2):
        made = agent(manager, script([("lookup", {"key": "k"})], "done"))
        live.append(await read(made, "hi"))
    while live:
        for run in list(live):
            try:
                await run.__anext__()
            except StopAsyncIteration:
                live.remove(run)
            assert current_run().run_id is None
    assert [parent for _, parent in recorder.runs()] == [None, None]
    assert len({run_id for run_id, _ in recorder.runs()}) == 2


async def test_a_run_that_is_left_early_ends_once(script: Any, agent: Any, read: Any) -> None:
    manager, recorder = HookManager(), Recorder()
    manager.register(recorder)
    made = agent(manager, script([("lookup", {"key": "k"})], "done"))
    events = await read(made, "hi")
    await events.__anext__()
    await events.aclose()
    assert recorder.statuses("run_finished") == ["cancelled"]


async def test_after_uninstall_nothing_is_judged_and_the_adks_own_is_back(
    script: Any, agent: Any, office: Any, run: Any
) -> None:
    from google.adk.models.base_llm import BaseLlm
    from google.adk.runners import Runner
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.function_tool import FunctionTool

    from hookcore_google_adk import uninstall

    def seams() -> list[Any]:
        models = [vars(type(script())).get("generate_content_async")]
        hooks = [vars(base).get("__init_subclass__") for base in (BaseLlm, BaseTool)]
        return [Runner.run_async, FunctionTool.run_async, *models, *hooks]

    before = seams()
    manager, recorder = checked()
    made = agent(manager, script([("danger", {"x": "1"})], "done"))
    assert all(now is not then for now, then in zip(seams(), before, strict=True))
    uninstall()
    assert seams() == before
    await run(made, "hi")
    assert office.names() == ["danger"]
    assert recorder.endings == []


async def test_a_second_install_changes_the_manager(
    script: Any, agent: Any, install: Any, office: Any, run: Any
) -> None:
    made = agent(HookManager(), script([("danger", {"x": "1"})], "done"))
    manager, recorder = checked()
    assert install(manager) is manager
    await run(made, "hi")
    assert office.calls == []
    assert recorder.statuses("run_finished") == ["ok"]
