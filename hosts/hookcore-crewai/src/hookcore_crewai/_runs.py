"""Runs: which crew, flow or agent is at work, told to the contexts of its dispatches."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from hookcore.hosting import current_run as run_around

from ._owners import Owners, owners_for, owners_of_crew
from ._patches import Patches
from ._scoped import put_in_force, scope_of_a_run
from ._their_scope import keep_in_force
from .hooks._binding import binding

__all__ = ["Run", "current_run", "describe", "patch", "running", "working_on"]


class Run:
    """One execution of a crew, a flow or an agent, or of a task by hand."""

    __slots__ = ("attributes", "flow", "id", "kind", "owners", "parent", "points")

    def __init__(
        self, kind: str, subject: Any, outer: Run | None, owners: Owners | None = None
    ) -> None:
        self.id = uuid.uuid4().hex
        # A run of the program's own, or of another runtime, may stand around.
        self.parent = run_around().run_id if outer is None else outer.id
        self.attributes: dict[str, Any] = {} if outer is None else dict(outer.attributes)
        if kind != "task":  # of which runs inside know nothing, as of those in a crew
            self.attributes[kind] = subject
        self.kind = kind
        #: The instances of ``@CrewBase`` classes whose hooks are in force.
        self.owners = _owners(kind, subject, outer) if owners is None else owners
        #: The flow whose boundary is the run's own: a standalone agent has one inside.
        self.flow: Any = subject if kind == "flow" else None
        #: The points of that flow that have been dispatched.
        self.points: set[str] = set()


def _owners(kind: str, subject: Any, outer: Run | None) -> Owners:
    if kind == "crew":
        return owners_of_crew(subject)
    if kind == "flow":
        return ()
    # An agent that no instance has made works for whoever has called it.
    at_work = () if outer is None else outer.owners
    return owners_for(subject, at_work) or at_work


_run: ContextVar[Run | None] = ContextVar("hookcore_crewai_run", default=None)
_task: ContextVar[Any] = ContextVar("hookcore_crewai_task", default=None)


def current_run() -> Run | None:
    """Return the run that the calling execution is part of."""
    return _run.get()


def describe(ctx: Any) -> None:
    """Tell a context which run it belongs to, and what is at work there."""
    keep_in_force()
    run, task = _run.get(), _task.get()
    known: dict[str, Any] = {}
    if run is not None:
        put_in_force(run.owners)  # somebody may have unregistered a hook meanwhile
        ctx.run_id, ctx.parent_run_id = run.id, run.parent
        known.update(run.attributes)
    if task is not None:
        known["task"] = task
    if known:
        ctx.attributes = {**known, **_seen_from_outside(ctx.attributes)}


def _seen_from_outside(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return what CrewAI says is at work, without a flow that is its own machinery."""
    if not _is_internal(attributes.get("flow")):
        return attributes
    return {name: value for name, value in attributes.items() if name != "flow"}


def _is_internal(flow: Any) -> bool:
    return bool(getattr(type(flow), "is_crewai_internal", False))


@contextmanager
def working_on(task: Any) -> Iterator[None]:
    """Mark a block as the work on a task."""
    token = _task.set(task)
    try:
        yield
    finally:
        _task.reset(token)


@contextmanager
def running(kind: str, subject: Any, owners: Owners | None = None) -> Iterator[None]:
    """Mark a block as one run, with the hooks of its instances for as long as it takes.

    Args:
        kind: "crew", "flow", "agent" or "task".
        subject: what runs.
        owners: the instances; when None, those whose it is.
    """
    outer = _run.get()
    run = Run(kind, subject, outer, owners)
    token, task = _run.set(run), _task.set(None)
    try:
        with scope_of_a_run(run.owners):
            yield
    except BaseException as error:
        if not isinstance(error, Exception):  # a failure has its end from CrewAI itself
            _end(run, subject, error)
        raise
    finally:
        _run.reset(token)
        _task.reset(task)
        # In case that the manager is another one than at the beginning.
        put_in_force(() if outer is None else outer.owners)
        binding.manager.parts.services.states.drop(run.id)


def _end(run: Run, subject: Any, error: BaseException) -> None:
    """Dispatch the end of a run that was cancelled, which CrewAI leaves without one."""
    if run.kind == "crew":
        subject._dispatch_execution_end_failure(error)
    elif "execution_start" in run.points and "execution_end" not in run.points:
        run.flow._dispatch_execution_end_failure(error)


def patch(patches: Patches) -> None:
    """Mark what CrewAI's kickoff methods do as runs."""
    from crewai import Agent, Crew, Flow
    from crewai.lite_agent import LiteAgent

    for owner, name, kind in (
        (Crew, "kickoff", "crew"),
        (Agent, "kickoff", "agent"),
        (LiteAgent, "kickoff", "agent"),
    ):
        patches.set(owner, name, _sync(getattr(owner, name), kind))
    for owner, name, kind in (
        (Crew, "akickoff", "crew"),
        (Agent, "kickoff_async", "agent"),
        (Flow, "kickoff_async", "flow"),
        (Flow, "resume_async", "flow"),
    ):
        patches.set(owner, name, _async(getattr(owner, name), kind))
    patches.set(Flow, "_dispatch_interception", _noted(Flow._dispatch_interception))
    patches.set(Crew, "replay", _replayed(Crew.replay))


def _noted(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def dispatch(self: Any, point: Any, ctx: Any) -> Any:
        dispatched: Any = True
        try:
            dispatched = method(self, point, ctx)
        finally:
            if dispatched:
                _note(self, str(point.value))
        return dispatched

    return dispatch


def _note(flow: Any, point: str) -> None:
    run = _run.get()
    if run is None:
        return
    if run.kind == "agent" and run.flow is None and _is_internal(flow):
        run.flow = flow
    if run.flow is flow:
        run.points.add(point)


def _is_part(subject: Any) -> bool:
    """Tell whether a flow is CrewAI's own machinery inside somebody's run."""
    return _is_internal(subject) and _run.get() is not None


def _sync(method: Callable[..., Any], kind: str) -> Callable[..., Any]:
    @functools.wraps(method)
    def kickoff(self: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(self, "stream", False) or _is_part(self):
            # What is streamed is run by a kickoff of its own, in the stream's thread.
            return method(self, *args, **kwargs)
        with running(kind, self):
            return method(self, *args, **kwargs)

    return kickoff


def _async(method: Callable[..., Any], kind: str) -> Callable[..., Any]:
    @functools.wraps(method)
    async def kickoff(self: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(self, "stream", False) or _is_part(self):
            return await method(self, *args, **kwargs)
        with running(kind, self):
            return await method(self, *args, **kwargs)

    return kickoff


def _replayed(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def replay(self: Any, *args: Any, **kwargs: Any) -> Any:
        with running("crew", self):
            return method(self, *args, **kwargs)

    return replay
