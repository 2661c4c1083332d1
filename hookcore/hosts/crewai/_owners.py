"""Which instance of a ``@CrewBase`` class a crew or an agent belongs to."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ._owned import contents_of, is_instance
from ._patches import Patches

__all__ = ["Owners", "owners_of_agent", "owners_of_crew", "patch"]

Owners = tuple[Any, ...]

# Agents by identity, since they have no hash.
_agents: dict[int, tuple[weakref.ref[Any], weakref.ref[Any]]] = {}


def patch(patches: Patches) -> None:
    """Note which instance has made an agent, and that its copies are the instance's as well."""
    from crewai.agents.agent_builder.base_agent import BaseAgent
    from crewai.project.wrappers import AgentMethod

    patches.set(AgentMethod, "__get__", _binding(AgentMethod.__get__))
    patches.set(AgentMethod, "__call__", _calling(AgentMethod.__call__))
    patches.set(BaseAgent, "copy", _copying(BaseAgent.copy))


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


def _copying(copy: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(copy)
    def copy_and_note(self: Any) -> Any:
        agent = copy(self)
        for owner in owners_of_agent(self):
            _noted(agent, owner)
        return agent

    return copy_and_note


def _noted(agent: Any, instance: Any) -> Any:
    key = id(agent)

    def forget(_: Any) -> None:
        _agents.pop(key, None)

    with suppress(TypeError):  # what no reference can point to is no agent, and no instance
        _agents[key] = weakref.ref(agent, forget), weakref.ref(instance)
    return agent


def owners_of_agent(agent: Any) -> Owners:
    """Return the instance whose ``@agent`` method made an agent; empty when none did."""
    found = _agents.get(id(agent))
    if found is None or found[0]() is not agent:
        return ()
    instance = found[1]()
    return (instance,) if is_instance(instance) else ()


def owners_of_crew(crew: Any) -> Owners:
    """Return the instance that made a crew, else those that made its agents."""
    for callback in (*crew.before_kickoff_callbacks, *crew.after_kickoff_callbacks):
        # CrewAI binds these to the instance in a closure; a crew knows its maker by nothing else.
        for content in contents_of(callback):
            if is_instance(content):
                return (content,)
    agents = [*crew.agents, *(task.agent for task in crew.tasks), crew.manager_agent]
    owners = [owner for agent in agents for owner in owners_of_agent(agent)]
    return tuple({id(owner): owner for owner in owners}.values())
