"""The example that denies repeated tool calls, and stops a run that does not give up."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from hookcore import HookAborted, HookManager, hookimpl
from hookcore.testing import kept_runs
from hookcore_agent import Agent, ScriptedModel, Session, ToolCall
from hookcore_gateway import Gateway, InMemoryChannel
from hookcore_gateway.zeroclaw import HookRunner

from .pairing import Ends, Pairing

pytestmark = pytest.mark.asyncio

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "zeroclaw" / "repeat_guard.py"
CODE = runpy.run_path(str(EXAMPLE))
DONE, GIVEN_UP = ["before", "after"], ["before", "abandoned"]
STOPPED = "The agent went round in circles and was stopped."


@pytest.fixture
def pairing(runner: HookRunner) -> Pairing:
    made = Pairing()
    runner.register(made)
    return made


def guarded(runner: HookRunner, **settings: int) -> HookManager:
    runner.manager.register(CODE["RepeatGuard"], name="repeat-guard", settings=settings)
    return runner.manager


def search(query: str) -> str:
    """Search."""
    return f"nothing about {query}"


def asking(*queries: str) -> list[ToolCall]:
    return [ToolCall("search", {"query": query}, f"{query}-{n}") for n, query in enumerate(queries)]


def searcher(manager: HookManager, *turns: Any) -> Agent:
    return Agent("searcher", ScriptedModel(turns), [search], hooks=manager)


def results(session: Session) -> list[str]:
    return [str(message.content) for message in session.messages if message["role"] == "tool"]


async def test_of_two_identical_calls_in_one_answer_only_the_second_is_abandoned(
    runner: HookRunner, pairing: Pairing
) -> None:
    ends, session = Ends(runner.manager), Session()
    await searcher(guarded(runner), asking("a", "a", "b"), "done").run("go", session)
    assert pairing.calls == [DONE, GIVEN_UP, DONE]
    assert dict(ends.statuses) == {"a-0": "ok", "a-1": "denied", "b-2": "ok"}
    assert ends.came_once_each()
    [denial, *others] = sorted(results(session))
    assert denial.startswith(
        "denied by repeat-guard.pre_tool_call: This run has made the same call"
    )
    assert others == ["nothing about a", "nothing about b"]


async def test_a_call_of_an_earlier_answer_counts_too(runner: HookRunner, pairing: Pairing) -> None:
    await searcher(guarded(runner), asking("a"), asking("b"), asking("a"), "done").run("go")
    assert pairing.calls == [DONE, DONE, GIVEN_UP]


async def test_so_many_calls_are_let_through_as_the_settings_say(
    runner: HookRunner, pairing: Pairing
) -> None:
    await searcher(guarded(runner, times=2), asking("a", "a", "a"), "done").run("go")
    assert pairing.calls == [DONE, DONE, GIVEN_UP]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": "1"}, {"a": 1}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({}, {"a": None}, False),
    ],
)
async def test_calls_are_the_same_when_their_arguments_are(
    runner: HookRunner, one: dict[str, Any], other: dict[str, Any], *, same: bool
) -> None:
    manager = guarded(runner)
    with manager.run():
        manager.call_tool("t", one, len)
        denial = manager.call_tool("t", other, lambda given: None, on_denied="return")
    assert (denial is not None) == same


async def test_another_tool_with_the_same_arguments_is_another_call(runner: HookRunner) -> None:
    manager = guarded(runner)
    with manager.run():
        assert [manager.call_tool(name, {"a": 1}, len) for name in ("t", "u")] == [1, 1]


async def test_a_run_that_repeats_itself_too_often_gives_up_all_calls_that_wait_to_start(
    runner: HookRunner, pairing: Pairing
) -> None:
    ends = Ends(runner.manager)
    agent = searcher(guarded(runner, denials=1), asking("a", "b", "a", "a", "never visited"))
    with pytest.raises(HookAborted, match="2 calls were repeats") as stop:
        await agent.run("go", "s")
    assert stop.value.message == STOPPED
    assert pairing.calls == [GIVEN_UP] * 4
    assert dict(ends.statuses) == {
        "a-0": "cancelled",
        "b-1": "cancelled",
        "a-2": "denied",
        "a-3": "error",
    }
    assert ends.came_once_each()
    assert len(results(agent.session("s"))) == 5


async def test_a_run_that_is_stopped_asks_its_model_no_more(runner: HookRunner) -> None:
    agent = searcher(guarded(runner, denials=0), asking("a"), asking("a"), "not reached")
    with pytest.raises(HookAborted):
        await agent.run("go")
    assert isinstance(agent.model, ScriptedModel)
    assert len(agent.model.requests) == 2


async def test_where_the_failure_of_a_hook_only_denies_the_run_stops_before_the_next_model_call(
    install: Any,
) -> None:
    install("guard", f"import runpy\nPlugin = runpy.run_path({str(EXAMPLE)!r})['RepeatGuard']\n")
    table = {"enabled": True, "on_error": "deny", "settings": {"denials": 0}}
    manager = HookManager.load(config={"plugins": {"guard": table}})
    agent = searcher(manager, asking("a", "a"), "not reached")
    with pytest.raises(HookAborted) as stop:
        await agent.run("go", "s")
    assert stop.value.message == STOPPED
    assert results(agent.session("s"))[0].startswith("denied by guard")
    assert isinstance(agent.model, ScriptedModel)
    assert len(agent.model.requests) == 1


async def test_the_user_is_told_that_the_run_was_stopped(runner: HookRunner) -> None:
    manager, channel = guarded(runner, denials=0), InMemoryChannel()
    async with Gateway(searcher(manager, asking("a", "a")), channel, manager):
        outcome = await channel.post("go").outcome()
    assert outcome.status == "denied"
    assert [message.content for message in channel.sent] == [STOPPED]


async def test_the_next_run_of_a_session_begins_anew(runner: HookRunner, pairing: Pairing) -> None:
    agent = searcher(guarded(runner), asking("a"), "one", asking("a"), "two")
    for _ in range(2):
        await agent.run("go", "s")
    assert pairing.calls == [DONE, DONE]


async def test_nothing_is_remembered_when_a_run_has_ended(runner: HookRunner) -> None:
    states: list[dict[str, Any]] = []

    @hookimpl
    def run_finished(self: Any, ctx: Any) -> None:
        states.append(dict(ctx.state))

    spy = type("Spy", (CODE["RepeatGuard"],), {"run_finished": run_finished})
    runner.manager.register(spy, settings={})
    await searcher(runner.manager, asking("a", "a"), "done").run("go")
    [state] = states
    assert (len(state["calls"]), state["denied"]) == (1, 1)
    assert kept_runs(runner.manager) == 0


async def test_a_sub_agents_calls_are_its_own(runner: HookRunner, pairing: Pairing) -> None:
    manager = guarded(runner)
    helper = Agent("helper", ScriptedModel([asking("a"), "found"]), [search])
    script = [asking("a"), [ToolCall("helper", {"text": "a?"})], "done"]
    agent = Agent("searcher", ScriptedModel(script), [search, helper], hooks=manager)
    await agent.run("go")
    assert pairing.words.count("after") == 3


async def test_without_a_run_nothing_is_a_repeat(runner: HookRunner) -> None:
    manager = guarded(runner)
    assert [manager.call_tool("t", {"a": 1}, len) for _ in range(3)] == [1, 1, 1]


async def test_a_person_is_not_asked_again_for_a_repeat(runner: HookRunner) -> None:
    asked: list[str] = []

    class Approval:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: Any) -> None:
            asked.append(ctx.tool_input["query"])

    runner.manager.register(Approval())
    await searcher(guarded(runner), asking("a", "a"), "done").run("go")
    assert asked == ["a"]


@pytest.mark.parametrize("settings", [{"times": 0}, {"denials": -1}, {"tmies": 2}])
async def test_wrong_numbers_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        CODE["RepeatSettings"].model_validate(settings)
