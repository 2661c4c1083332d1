"""Find the instances of ``@CrewBase`` classes that a crew, a task or an agent belongs to."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from ._owned import contents_of, is_instance
from ._patches import Patches

__all__ = ["Owners", "owners_for", "owners_of_crew", "patch", "united"]

Owners = tuple[Any, ...]

# Agents and tasks by identity, since they have no hash.
_made: dict[int, tuple[weakref.ref[Any], tuple[weakref.ref[Any], ...]]] = {}


def patch(patches: Patches) -> None:
    """Note which instance has made an agent or a task, and that its copies are the same one's."""
    from crewai import Task
    from crewai.agents.agent_builder.base_agent import BaseAgent
    from crewai.project import annotations
    from crewai.project.wrappers import AgentMethod, BoundTaskMethod

    patches.set(AgentMethod, "__get__", _binding(AgentMethod.__get__))
    patches.set(AgentMethod, "__call__", _calling(AgentMethod.__call__))
    patches.set(BoundTaskMethod, "__call__", _calling_bound(BoundTaskMethod.__call__))
    patches.set(annotations, "_call_method", _calling_any(annotations._call_method))
    for cls in (BaseAgent, Task):
        for name in ("copy", "__copy__", "__deepcopy__"):
            patches.set(cls, name, _copying(getattr(cls, name)))


def _binding(bind: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(bind)
    def get(self: Any, instance: Any, owner: Any = None) -> Any:
        bound = bind(self, instance, owner)
        if instance is None:
            return bound

        @functools.wraps(bound)
        def make(*args: Any, **kwargs: Any) -> Any:
            return _noted(bound(*args, **kwargs), instance)

        return make

    return get


def _calling(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def make(self: Any, instance: Any, *args: Any, **kwargs: Any) -> Any:
        return _noted(call(self, instance, *args, **kwargs), instance)

    return make


def _calling_bound(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def make(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _noted(call(self, *args, **kwargs), self._obj)

    return make


def _calling_any(call: Callable[..., Any]) -> Callable[..., Any]:
    """Note what ``@crew`` makes: the tasks of the class, and those of the crew itself."""
    from crewai import Crew, Task

    @functools.wraps(call)
    def make(method: Any, instance: Any, *args: Any, **kwargs: Any) -> Any:
        made = call(method, instance, *args, **kwargs)
        tasks = made.tasks if isinstance(made, Crew) else (made,) if isinstance(made, Task) else ()
        for task in tasks:
            _noted(task, instance)
        return made

    return make


def _copying(copy: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(copy)
    def copy_and_note(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = copy(self, *args, **kwargs)
        for owner in _owners_of(self):
            _noted(made, owner)
        return made

    return copy_and_note


def _noted(made: Any, instance: Any) -> Any:
    key = id(made)
    known = _owners_of(made)
    if any(owner is instance for owner in known):
        return made

    def forget(_: Any) -> None:
        _made.pop(key, None)

    with suppress(TypeError):  # what no reference can point to is no agent, and no instance
        _made[key] = weakref.ref(made, forget), tuple(map(weakref.ref, (*known, instance)))
    return made


def _owners_of(made: Any) -> Owners:
    found = _made.get(id(made))
    if found is None or found[0]() is not made:
        return ()
    return tuple(owner for find in found[1] if is_instance(owner := find()))


def owners_for(made: Any, at_work: Owners) -> Owners:
    """Return the instances that have made an agent or a task; empty when none has.

    Args:
        made: the agent or the task. Instances that share one have both made it.
        at_work: the instances for which it is to work. What one of them has made works for those
            of them that have, and for nobody else who has made it.
    """
    owners = _owners_of(made)
    return tuple(owner for owner in owners if any(owner is it for it in at_work)) or owners


def owners_of_crew(crew: Any) -> Owners:
    """Return the instances that made a crew, its agents and its tasks."""
    # CrewAI binds these to the instance in a closure; a crew knows its maker by nothing else.
    callbacks = (*crew.before_kickoff_callbacks, *crew.after_kickoff_callbacks)
    makers = united(filter(is_instance, contents_of(callback)) for callback in callbacks)
    parts = [*crew.agents, *crew.tasks, *(task.agent for task in crew.tasks), crew.manager_agent]
    return united([makers, *(owners_for(part, makers) for part in parts)])


def united(owners: Iterable[Iterable[Any]]) -> Owners:
    """Return all of some owners, each once."""
    return tuple({id(owner): owner for some in owners for owner in some}.values())
