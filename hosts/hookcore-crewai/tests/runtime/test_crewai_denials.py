"""A denial in a real run: who hears what."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from crewai import LLM
from crewai.events.event_bus import crewai_event_bus
from crewai.events.types.hook_events import HookDispatchedEvent
from crewai.events.types.llm_events import LLMCallFailedEvent
from crewai.flow.flow import Flow, start
from crewai.hooks import InterceptionPoint, on, register_before_llm_call_hook
from crewai.llms.base_llm import LLMCallBlockedError

from hookcore import HookAborted, HookManager, hookimpl

from .office import native, react

CALLS = [pytest.param(react, id="react"), pytest.param(native, id="native")]


class NoDeletes:
    @hookimpl(tools=["delete_*"], gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        raise HookAborted("rule 7 of the handbook", message="Deleting is not allowed; ask Ann.")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_denied_tool_call_tells_the_model_the_policys_message(
    office: Any, manager: HookManager, call: Any, *, asynchronous: bool
) -> None:
    manager.register(NoDeletes())
    crew = office.crew(call("delete_file", path="x"))
    result = asyncio.run(crew.akickoff()) if asynchronous else crew.kickoff()
    assert office.tool.ran == []
    assert "Deleting is not allowed; ask Ann." in office.llm.texts()
    assert "rule 7" not in office.llm.texts()
    assert "done" in result.raw


@pytest.mark.parametrize("call", CALLS)
def test_false_blocks_a_tool_call_in_crewais_words(office: Any, call: Any) -> None:
    on(InterceptionPoint.PRE_TOOL_CALL)(lambda ctx: False)
    office.crew(call("delete_file", path="x")).kickoff()
    assert office.tool.ran == []
    assert "Tool execution blocked by hook. Tool: delete_file" in office.llm.texts()


def test_the_reason_is_in_the_event_on_crewais_bus(office: Any, manager: HookManager) -> None:
    manager.register(NoDeletes(), "no-deletes")
    events: list[Any] = []
    with crewai_event_bus.scoped_handlers():

        @crewai_event_bus.on(HookDispatchedEvent)
        def capture(source: Any, event: Any) -> None:
            events.append(event)

        office.crew(react("delete_file", path="x")).kickoff()
        crewai_event_bus.flush()
    assert [
        (event.interception_point, event.outcome, event.abort_reason, event.abort_source)
        for event in events
    ] == [
        ("pre_tool_call", "aborted", "rule 7 of the handbook", "no-deletes.pre_tool_call"),
    ]
    assert (events[0].hook_count, events[0].agent_role) == (1, "Worker")


def test_the_event_of_a_registered_hook_names_its_function(office: Any) -> None:
    events: list[Any] = []
    with crewai_event_bus.scoped_handlers():

        @crewai_event_bus.on(HookDispatchedEvent)
        def capture(source: Any, event: Any) -> None:
            events.append(event.abort_source)

        @on(InterceptionPoint.PRE_TOOL_CALL, tools=["delete_file"])
        def guard(ctx: Any) -> None:
            raise HookAborted("no")

        office.crew(react("delete_file", path="x")).kickoff()
        crewai_event_bus.flush()
    assert events == ["guard"]


def test_a_denied_model_call_stops_a_crew_at_once(office: Any, manager: HookManager) -> None:
    asked: list[int] = []

    class Policy:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            asked.append(1)
            raise HookAborted("no models today")

    manager.register(Policy())
    with pytest.raises(HookAborted, match="no models today"):
        office.crew().kickoff()
    assert (len(asked), office.llm.seen) == (1, [])


def test_false_before_a_model_call_surfaces_as_crewais_error(office: Any) -> None:
    asked: list[int] = []
    register_before_llm_call_hook(lambda ctx: asked.append(1) or False)  # type: ignore[func-returns-value]
    with pytest.raises(LLMCallBlockedError):
        office.crew().kickoff()
    assert len(asked) == 3  # a crew tries its task three times


def test_false_before_a_direct_call_is_a_value_error(office: Any) -> None:
    register_before_llm_call_hook(lambda ctx: False)
    with pytest.raises(ValueError, match="blocked"):
        office.model(direct=True).call("hi")


@pytest.mark.parametrize("point", ["post_model_call", "post_tool_call"])
def test_an_abort_after_a_call_reaches_whoever_kicked_off(office: Any, point: str) -> None:
    def stop(ctx: Any) -> None:
        raise HookAborted("enough")

    on(point)(stop)
    with pytest.raises(HookAborted, match="enough"):
        office.crew(react("delete_file", path="x")).kickoff()


@pytest.mark.parametrize(
    "point",
    ["execution_start", "input", "pre_step", "post_step", "output", "execution_end"],
)
def test_an_abort_at_a_boundary_or_step_fails_the_kickoff(office: Any, point: str) -> None:
    ends: list[Any] = []

    def stop(ctx: Any) -> None:
        raise HookAborted("not today")

    on(InterceptionPoint.EXECUTION_END)(lambda ctx: ends.append(ctx.status))
    on(point)(stop)
    with pytest.raises(HookAborted, match="not today"):
        office.crew().kickoff()
    ended = {"execution_start": [], "execution_end": ["completed"]}
    assert ends == ended.get(point, ["failed"])


def test_a_flow_whose_start_is_denied_runs_nothing(manager: HookManager) -> None:
    ran: list[int] = []

    class Work(Flow[Any]):
        @start()
        def work(self) -> None:
            ran.append(1)

    class Policy:
        @hookimpl
        def execution_start(self, ctx: Any) -> None:
            raise HookAborted("no")

    manager.register(Policy())
    with pytest.raises(HookAborted):
        Work().kickoff()
    assert ran == []


def test_a_denied_direct_call_propagates_and_its_event_names_the_denier(
    manager: HookManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Policy:
        @hookimpl
        def pre_model_call(self, ctx: Any) -> None:
            raise HookAborted("no models today", source="policy")

    manager.register(Policy())
    failures: list[str] = []
    with crewai_event_bus.scoped_handlers():

        @crewai_event_bus.on(LLMCallFailedEvent)
        def capture(source: Any, event: Any) -> None:
            failures.append(event.error)

        with pytest.raises(HookAborted, match="no models today"):
            LLM(model="gpt-4o", is_litellm=True).call("hi")
        crewai_event_bus.flush()
    assert failures == ["LLM call denied by policy: no models today"]


def test_an_abort_at_the_end_of_a_failed_run_leaves_the_first_error(office: Any) -> None:
    def stop(ctx: Any) -> None:
        raise HookAborted(f"abort at {ctx.point}")

    on(InterceptionPoint.PRE_STEP)(stop)
    on(InterceptionPoint.EXECUTION_END)(stop)
    with pytest.raises(HookAborted, match="abort at pre_step"):
        office.crew().kickoff()
