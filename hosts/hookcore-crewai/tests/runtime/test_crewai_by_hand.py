"""Tasks and agents that no kickoff runs, and copies: the hooks of their instance are in force."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest
from crewai import Crew, Task
from crewai.flow.flow import Flow, start
from crewai.hooks import InterceptionPoint, before_tool_call, on, register_hook
from crewai.project import CrewBase, before_kickoff, crew

from .office import Office, Start, make_team, react

DELETE = react("delete_file", path="x")
ALL = ["A step", "A model", "A delete_file", "A model"]


@pytest.fixture
def log() -> list[str]:
    return []


def new_task(agent: Any) -> Any:
    return Task(description="d", expected_output="e", agent=agent)


BY_HAND = {
    "execute_sync": lambda crew, team: crew.tasks[0].execute_sync(),
    "execute_async": lambda crew, team: crew.tasks[0].execute_async().result(),
    "aexecute_sync": lambda crew, team: asyncio.run(crew.tasks[0].aexecute_sync()),
    "a task of one's own": lambda crew, team: new_task(team.worker()).execute_sync(),
}
BY_AN_AGENT = {
    "execute_task": lambda crew: crew.agents[0].execute_task(crew.tasks[0]),
    "aexecute_task": lambda crew: asyncio.run(crew.agents[0].aexecute_task(crew.tasks[0])),
}


@pytest.mark.parametrize("way", BY_HAND)
def test_a_task_that_is_executed_by_hand_has_the_hooks(
    office: Any, log: list[str], way: str
) -> None:
    team = make_team(office, log, DELETE)("A")
    BY_HAND[way](team.crew(), team)
    assert log == ALL


@pytest.mark.parametrize("way", BY_AN_AGENT)
def test_so_does_one_that_an_agent_is_given(office: Any, log: list[str], way: str) -> None:
    team = make_team(office, log, DELETE)("A")
    BY_AN_AGENT[way](team.crew())
    assert log == ALL[1:]


def test_so_does_one_in_a_flow(office: Any, log: list[str]) -> None:
    task = make_team(office, log, DELETE)("A").crew().tasks[0]

    class Outer(Flow[Any]):
        @start()
        def go(self) -> str:
            return str(task.execute_sync())

    Outer().kickoff()
    assert log == ALL


def test_so_does_one_in_a_tool_of_another_instances_crew(log: list[str]) -> None:
    inner = make_team(Office(), log, DELETE)("A")
    task = inner.crew().tasks[0]
    tool = Start(what=task.execute_sync)
    make_team(Office(), log, react("start"), tools=[tool])("B").crew().kickoff()
    assert [entry for entry in log if entry.startswith("A")] == ALL
    assert log.count("B delete_file") == 1, "it works for the crew that asks, too"
    assert log[-1] == "B model"


def test_so_do_tasks_that_the_crew_method_itself_makes(office: Any) -> None:
    @CrewBase
    class Team:
        agents_config = None
        tasks_config = None

        @before_tool_call
        def guard(self, ctx: Any) -> bool:
            return False

        @crew
        def crew(self) -> Any:
            return office.crew(DELETE)

    Team().crew().tasks[0].execute_sync()
    assert office.tool.ran == []


def test_so_does_an_agent_of_such_a_crew_with_a_task_of_ones_own(office: Any) -> None:
    @CrewBase
    class Team:
        agents_config = None
        tasks_config = None

        @before_tool_call
        def guard(self, ctx: Any) -> bool:
            return False

        @crew
        def crew(self) -> Any:
            return office.crew()

    crew_of_it = Team().crew()
    crew_of_it.kickoff()
    office.llm.answers = [DELETE]
    worker = crew_of_it.agents[0]
    worker.execute_task(new_task(worker))
    assert office.tool.ran == []


def test_a_replay_has_them(office: Any, log: list[str]) -> None:
    replayed = make_team(office, log)("A").crew()
    replayed.kickoff()
    log.clear()
    replayed.replay(str(replayed.tasks[0].id))
    assert log == ["A step", "A model"]


def test_afterwards_they_are_in_force_no_more(office: Any, log: list[str]) -> None:
    make_team(office, log)("A").crew().tasks[0].execute_sync()
    log.clear()
    Office().crew().tasks[0].execute_sync()
    assert log == []


def test_a_context_of_a_task_by_hand_knows_the_task_and_a_run(office: Any, log: list[str]) -> None:
    seen: list[Any] = []
    register_hook("pre_model_call", lambda ctx: seen.append((ctx.run_id, ctx.attributes["task"])))
    task = make_team(office, log)("A").crew().tasks[0]
    task.execute_sync()
    assert [(bool(run), found is task) for run, found in seen] == [(True, True)]


def test_a_crew_in_a_tool_of_such_a_task_has_no_task_of_anothers(log: list[str]) -> None:
    seen: list[Any] = []
    register_hook("execution_start", lambda ctx: seen.append(ctx.attributes.get("task")))
    tool = Start(what=Office().crew().kickoff)
    team = make_team(Office(), log, react("start"), tools=[tool])("A")
    team.crew().tasks[0].execute_sync()
    assert seen[-1] is None, "the first is of the agent itself"


# Copies, and crews of several instances


@pytest.mark.parametrize(
    "copied",
    [
        lambda agent: agent.copy(),
        lambda agent: agent.model_copy(),
        copy.copy,
        lambda agent: copy.copy(agent).copy(),
    ],
    ids=["copy", "model_copy", "copy.copy", "copy of a copy"],
)
def test_a_copy_of_an_agent_is_the_instances_as_well(
    office: Any, log: list[str], copied: Any
) -> None:
    team = make_team(office, log)("A")
    worker = copied(team.worker())
    Crew(agents=[worker], tasks=[new_task(worker)]).kickoff()
    assert log == ["A step", "A model"]


def test_a_copy_of_a_task_is_the_instances_as_well(office: Any, log: list[str]) -> None:
    team = make_team(office, log)("A")
    copy.copy(team.job()).execute_sync(agent=Office().agent())
    assert log == ["A step", "A model"]


def test_an_instances_agent_in_another_instances_crew_keeps_its_hooks(log: list[str]) -> None:
    guarded = make_team(Office(), log, DELETE)("A")

    @CrewBase
    class Other:
        agents_config = None
        tasks_config = None

        @before_kickoff
        def prepare(self, inputs: Any) -> Any:
            return inputs

        @on(InterceptionPoint.PRE_STEP)
        def step(self, ctx: Any) -> None:
            log.append("other step")

        @crew
        def crew(self) -> Any:
            worker = guarded.worker()
            return Crew(agents=[worker], tasks=[new_task(worker)])

    Other().crew().kickoff()
    assert sorted(log) == sorted([*ALL, "other step"])


def test_an_agent_that_instances_share_works_in_a_crew_for_the_one_that_made_it(
    log: list[str],
) -> None:
    shared = Office().agent()
    office = Office()
    office.agent = lambda *answers, **more: shared  # type: ignore[method-assign]
    cls = make_team(office, log)
    one, two = cls("A"), cls("B")
    crews = one.crew(), two.crew()
    crews[0].kickoff()
    assert log == ["A step", "A model"]
    log.clear()
    crews[1].tasks[0].execute_sync()
    assert {entry[0] for entry in log} == {"A", "B"}, "by hand nobody knows for whom"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_of_an_instance_has_the_hooks_of_the_instance(
    office: Any, log: list[str], copied: Any
) -> None:
    team = copied(make_team(office, log)("A"))
    team.worker().kickoff("go")
    assert log == ["A model"]


def test_what_a_callback_holds_is_not_asked_for_attributes(office: Any) -> None:
    class Lazy:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError("used too early")

    def prepared(lazy: Any) -> Any:
        def prepare(inputs: Any) -> Any:
            assert lazy is not None
            return inputs

        return prepare

    made = office.crew()
    made.before_kickoff_callbacks = [prepared(Lazy())]
    assert str(made.kickoff(inputs={})) == "done"
