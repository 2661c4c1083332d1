"""Tasks, also those that no crew runs: the hooks of their instances are in force all the same.

A program may execute a task by hand, or let an agent do so. CrewAI has no kickoff then, but its
hooks run, and so do those of the instance that has made the task or the agent.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._owners import Owners, owners_for, owners_of_crew, united
from ._patches import Patches
from ._runs import current_run, running, working_on

__all__ = ["patch"]


def patch(patches: Patches) -> None:
    """Mark tasks as tasks, and let their instances' hooks be in force in them."""
    from crewai import Agent, Task

    patches.set(Task, "_execute_core", _task_sync(Task._execute_core))
    patches.set(Task, "_aexecute_core", _task_async(Task._aexecute_core))
    patches.set(Agent, "execute_task", _agent_sync(Agent.execute_task))
    patches.set(Agent, "aexecute_task", _agent_async(Agent.aexecute_task))


def _task_sync(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def execute(self: Any, agent: Any = None, *args: Any, **kwargs: Any) -> Any:
        with _with_hooks(self, agent or self.agent), working_on(self):
            return method(self, agent, *args, **kwargs)

    return execute


def _task_async(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def execute(self: Any, agent: Any = None, *args: Any, **kwargs: Any) -> Any:
        with _with_hooks(self, agent or self.agent), working_on(self):
            return await method(self, agent, *args, **kwargs)

    return execute


def _agent_sync(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def execute(self: Any, task: Any, *args: Any, **kwargs: Any) -> Any:
        with _with_hooks(task, self):
            return method(self, task, *args, **kwargs)

    return execute


def _agent_async(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def execute(self: Any, task: Any, *args: Any, **kwargs: Any) -> Any:
        with _with_hooks(task, self):
            return await method(self, task, *args, **kwargs)

    return execute


@contextmanager
def _with_hooks(task: Any, agent: Any) -> Iterator[None]:
    """Make a block a run of its own when hooks have to be in force there that are not yet."""
    run = current_run()
    at_work = () if run is None else run.owners
    owners = united([at_work, owners_for(task, at_work), owners_for(agent, at_work)])
    if run is None:
        owners = united([owners, _of_its_crew(agent)])
    if len(owners) == len(at_work):
        yield
        return
    with running("task", task, owners), working_on(task):
        yield


def _of_its_crew(agent: Any) -> Owners:
    """Return the instances of the crew that an agent worked for last."""
    from crewai import Crew

    crew = getattr(agent, "crew", None)
    return owners_of_crew(crew) if isinstance(crew, Crew) else ()
