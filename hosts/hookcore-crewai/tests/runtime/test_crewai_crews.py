"""Hooks that are methods of a ``@CrewBase`` class belong to its crews."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from crewai import Crew, Task
from crewai.hooks import (
    InterceptionPoint,
    before_llm_call,
    get_before_llm_call_hooks,
    get_hooks,
    on,
)
from crewai.project import CrewBase, agent, crew, task

from hookcore import RegistrationError

from .office import make_team, react


def test_the_hooks_of_an_instance_run_in_its_crew(office: Any) -> None:
    log: list[str] = []
    team = make_team(office, log, react("delete_file", path="x"))("A")
    team.crew().kickoff()
    assert log == ["A step", "A model", "A delete_file", "A model"]


def test_they_are_listed_but_do_not_run_in_another_crew(office: Any) -> None:
    log: list[str] = []
    team = make_team(office, log)("A")
    assert len(get_before_llm_call_hooks()) == 1
    office.crew().kickoff()
    assert log == []
    assert team.name == "A"


def test_two_instances_hear_of_their_own_crews_only(office: Any) -> None:
    log: list[str] = []
    cls = make_team(office, log)
    one, two = cls("A"), cls("B")
    two.crew().kickoff()
    assert log == ["B step", "B model"]
    one.crew().kickoff()
    assert log == ["B step", "B model", "A step", "A model"]
    assert len(get_before_llm_call_hooks()) == 2


def test_they_follow_the_copies_that_kickoff_for_each_makes(office: Any) -> None:
    log: list[str] = []
    make_team(office, log)("A").crew().kickoff_for_each([{"n": 1}, {"n": 2}])
    assert log.count("A step") == 2


def test_listed_hooks_can_be_called_by_hand(office: Any) -> None:
    log: list[str] = []
    team = make_team(office, log)("A")
    get_before_llm_call_hooks()[-1](None)
    assert log == ["A model"]
    assert ("before_llm_call", get_before_llm_call_hooks()[-1]) in team._registered_hook_functions


def test_they_leave_the_list_when_the_instance_goes(office: Any) -> None:
    from hookcore_crewai import _crews

    class Holder:
        def hook(self, ctx: Any) -> None: ...

    class Fake:
        pass

    def register(instance: Any, cls: type) -> None:
        from crewai.hooks import register_hook

        instance.kept = Holder().hook
        register_hook("pre_step", instance.kept)

    holder = Fake()
    _crews._owned(register)(holder, Fake)
    assert len(get_hooks("pre_step")) == 1
    del holder
    gc.collect()
    assert get_hooks("pre_step") == []


def test_inherited_and_stacked_hooks_run_too(office: Any) -> None:
    log: list[str] = []

    class Base:
        @on(InterceptionPoint.POST_STEP)
        def inherited(self, ctx: Any) -> None:
            log.append("inherited")

    @CrewBase
    class Team(Base):
        agents_config = None
        tasks_config = None

        @on(InterceptionPoint.PRE_STEP)
        @on(InterceptionPoint.OUTPUT)
        def stacked(self, ctx: Any) -> None:
            log.append("stacked")

        @agent
        def worker(self) -> Any:
            return office.agent()

        @task
        def job(self) -> Any:
            return Task(description="d", expected_output="e", agent=self.worker())

        @crew
        def crew(self) -> Any:
            return Crew(agents=self.agents, tasks=self.tasks)  # type: ignore[attr-defined]

    Team().crew().kickoff()
    assert log == ["stacked", "inherited", "stacked"]


def test_a_method_that_cannot_be_called_with_a_context_is_refused_with_its_instance() -> None:
    @CrewBase
    class Team:
        agents_config = None
        tasks_config = None

        @before_llm_call
        def fine(self, ctx: Any) -> None: ...

        @on(InterceptionPoint.PRE_STEP)
        def too_much(self, ctx: Any, more: Any) -> None: ...

    with pytest.raises(RegistrationError, match=r"too_much.*takes self and ctx"):
        Team()
    assert [*get_before_llm_call_hooks(), *get_hooks("pre_step")] == []
