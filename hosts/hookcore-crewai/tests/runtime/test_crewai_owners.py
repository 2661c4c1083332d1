"""The crews that the hooks of a ``@CrewBase`` instance run for, and that they can be unregistered."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest
from crewai import Agent, Crew, Task
from crewai.flow.flow import Flow, start
from crewai.hooks import (
    clear_all_hooks,
    clear_before_llm_call_hooks,
    get_before_llm_call_hooks,
    get_hooks,
    register_hook,
    unregister_before_llm_call_hook,
    unregister_before_tool_call_hook,
    unregister_hook,
)

from hookcore import HookManager
from hookcore_crewai import install, uninstall

from .office import Office, Start, make_team, react

DELETE = react("delete_file", path="x")
ALL = ["A step", "A model", "A delete_file", "A model"]


@pytest.fixture
def log() -> list[str]:
    return []


# Unregistering


@pytest.mark.parametrize(
    ("unregister", "left"),
    [
        (lambda team: unregister_hook("pre_step", team.step), ALL[1:]),
        (
            lambda team: unregister_before_llm_call_hook(team.before_model),
            ["A step", "A delete_file"],
        ),
        (
            lambda team: unregister_before_tool_call_hook(team.before_delete),
            ["A step", "A model", "A model"],
        ),
        (lambda team: clear_before_llm_call_hooks() == 1, ["A step", "A delete_file"]),
        (lambda team: clear_all_hooks() is None, []),
    ],
    ids=["on", "model", "with a filter", "clear", "clear all"],
)
def test_a_hook_of_an_instance_that_is_unregistered_runs_no_more(
    office: Any, log: list[str], unregister: Any, left: list[str]
) -> None:
    team = make_team(office, log, DELETE)("A")
    crew = team.crew()
    assert unregister(team)
    crew.kickoff()
    assert log == left


def test_one_that_an_executor_has_copied_runs_no_more(office: Any, log: list[str]) -> None:
    team = make_team(office, log)("A")
    crew = team.crew()
    crew.kickoff()
    log.clear()
    clear_all_hooks()
    crew.kickoff()
    assert log == []


def test_one_of_another_instance_that_an_executor_has_copied_does_not_run(
    office: Any, log: list[str]
) -> None:
    cls = make_team(office, log)
    one, two = cls("A"), cls("B")
    crew = one.crew()
    crew.kickoff()
    log.clear()
    assert unregister_before_llm_call_hook(two.before_model)
    crew.kickoff()
    assert log == ["A step", "A model"]


def test_a_hook_that_unregisters_itself_runs_once(office: Any, log: list[str]) -> None:
    team = make_team(office, log, DELETE)("A")

    def once(ctx: Any) -> None:
        unregister_before_llm_call_hook(team.before_model)

    register_hook("pre_tool_call", once)
    team.crew().kickoff()
    assert log == ["A step", "A model", "A delete_file"]


def test_that_holds_beside_a_hook_of_the_one_executor(office: Any, log: list[str]) -> None:
    team = make_team(office, log, DELETE)("A")
    crew = team.crew()
    crew.kickoff()
    crew.agents[0].agent_executor.before_llm_call_hooks.append(lambda ctx: log.append("own"))
    log.clear()
    office.llm.answers = [DELETE]

    def once(ctx: Any) -> None:
        unregister_before_llm_call_hook(team.before_model)

    register_hook("pre_tool_call", once)
    crew.kickoff()
    assert log == ["A step", "own", "A model", "A delete_file", "own"]


def test_after_another_installation_they_are_still_the_instances(log: list[str]) -> None:
    mine = Office()
    team = make_team(mine, log, DELETE)("A")
    crew = team.crew()
    uninstall()
    install(HookManager())
    Office().crew().kickoff()
    assert log == []
    crew.kickoff()
    assert log == ALL


def test_another_manager_in_the_middle_of_a_run_has_them_at_once(
    office: Any, log: list[str]
) -> None:
    other = HookManager()

    def change(ctx: Any) -> None:
        install(other)

    register_hook("pre_tool_call", change)
    make_team(office, log, DELETE)("A").crew().kickoff()
    assert log[-1] == "A model"
    log.clear()
    Office().crew().kickoff()
    assert log == []
    other.close()


def test_so_has_one_that_takes_the_place_of_the_one_before(office: Any, log: list[str]) -> None:
    other = HookManager()

    def change(ctx: Any) -> None:
        uninstall()
        install(other)

    register_hook("pre_tool_call", change)
    make_team(office, log, DELETE)("A").crew().kickoff()
    assert log == ALL
    other.close()


# What they run for


def started(log: list[str], what: Any) -> Any:
    """Return a tool that starts something, and logs when it does."""

    def start_it() -> None:
        log.append("begin")
        what()
        log.append("end")

    return Start(what=start_it)


def inside(log: list[str]) -> list[str]:
    """Return what was logged while a tool was running."""
    return log[log.index("begin") + 1 : log.index("end")]


def test_they_do_not_run_for_another_crew_that_a_tool_starts(office: Any, log: list[str]) -> None:
    tool = started(log, Office().crew().kickoff)
    make_team(office, log, react("start"), tools=[tool])("A").crew().kickoff()
    assert log == ["A step", "A model", "begin", "end", "A model"]


def test_the_inner_crews_own_run_for_it(office: Any, log: list[str]) -> None:
    inner = make_team(Office(), log)("B").crew()
    tool = started(log, inner.kickoff)
    make_team(office, log, react("start"), tools=[tool])("A").crew().kickoff()
    assert inside(log) == ["B step", "B model"]
    assert log[-1] == "A model"


def test_what_the_program_has_scoped_runs_for_the_inner_crew(office: Any, log: list[str]) -> None:
    scoped_hooks = sys.modules["crewai.hooks.dispatch"].scoped_hooks
    tool = started(log, Office().crew().kickoff)
    crew = make_team(office, log, react("start"), tools=[tool])("A").crew()
    with scoped_hooks({"pre_step": [lambda ctx: log.append("scoped")]}):
        crew.kickoff()
    assert inside(log) == ["scoped"]
    assert log.count("scoped") == 2


def test_they_do_not_run_for_a_flow_that_a_tool_starts(office: Any, log: list[str]) -> None:
    class Inner(Flow[Any]):
        @start()
        def go(self) -> str:
            return "gone"

    tool = started(log, lambda: Inner().kickoff())
    make_team(office, log, react("start"), tools=[tool])("A").crew().kickoff()
    assert inside(log) == []


def test_they_run_in_a_crew_that_a_flow_starts(office: Any, log: list[str]) -> None:
    crew = make_team(office, log, DELETE)("A").crew()

    class Outer(Flow[Any]):
        @start()
        def go(self) -> str:
            return str(crew.kickoff())

    Outer().kickoff()
    assert log == ALL


def test_they_run_for_an_agent_of_nobodys_that_a_tool_asks(office: Any, log: list[str]) -> None:
    helper = Office().agent()
    tool = started(log, lambda: helper.kickoff("help"))
    make_team(office, log, react("start"), tools=[tool])("A").crew().kickoff()
    assert inside(log) == ["A model"]


def test_they_run_for_a_crew_made_by_hand_of_the_instances_agents(
    office: Any, log: list[str]
) -> None:
    team = make_team(office, log, DELETE)("A")
    Crew(agents=[team.worker()], tasks=[team.job()]).kickoff()
    assert log == ALL


def test_they_run_for_the_copies_of_such_a_crew(office: Any, log: list[str]) -> None:
    team = make_team(office, log)("A")
    crew = Crew(agents=[team.worker()], tasks=[team.job()])
    crew.kickoff_for_each([{"n": 1}, {"n": 2}])
    assert log.count("A step") == 2


def test_they_run_for_an_agent_of_the_instance_by_itself(office: Any, log: list[str]) -> None:
    team = make_team(office, log, DELETE)("A")
    team.worker().kickoff("go")
    assert log == ALL[1:]


def test_a_crew_of_agents_of_nobodys_has_no_hooks_of_an_instance(
    office: Any, log: list[str]
) -> None:
    team = make_team(office, log)("A")
    task = Task(description="d", expected_output="e", agent=Office().agent())
    Crew(agents=[task.agent], tasks=[task]).kickoff()
    assert (log, team.name) == ([], "A")


def test_an_instance_without_a_crew_is_not_kept_alive_by_its_agents(
    office: Any, log: list[str]
) -> None:
    team = make_team(office, log)("A")
    worker = team.worker()
    assert isinstance(worker, Agent)
    del team
    gc.collect()
    assert [*get_before_llm_call_hooks(), *get_hooks("pre_step")] == []
    worker.kickoff("go")
    assert log == []
