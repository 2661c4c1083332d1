"""Runs: which crew, flow or agent is at work, told to the contexts of its dispatches."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from hookcore.compat.crewai._binding import binding

from ._crews import hooks_of
from ._patches import Patches
from ._scoped import in_scope

__all__ = ["describe", "patch"]


class Run:
    """One execution of a crew, a flow or an agent."""

    __slots__ = ("attributes", "id", "parent", "points")

    def __init__(self, kind: str, subject: Any, outer: Run | None) -> None:
        self.id = uuid.uuid4().hex
        self.parent = None if outer is None else outer.id
        self.attributes: dict[str, Any] = {} if outer is None else dict(outer.attributes)
        self.attributes[kind] = subject
        #: The points of a flow's own that have been dispatched.
        self.points: set[str] = set()


_run: ContextVar[Run | None] = ContextVar("hookcore_crewai_run", default=None)
_task: ContextVar[Any] = ContextVar("hookcore_crewai_task", default=None)


def describe(ctx: Any) -> None:
    """Tell a context which run it belongs to, and what is at work there."""
    run, task = _run.get(), _task.get()
    known: dict[str, Any] = {}
    if run is not None:
        ctx.run_id, ctx.parent_run_id = run.id, run.parent
        known.update(run.attributes)
    if task is not None:
        known["task"] = task
    if known:
        ctx.attributes = {**known, **ctx.attributes}


@contextmanager
def running(kind: str, subject: Any) -> Iterator[None]:
    """Mark a block as one run, with the hooks of the crew's own for as long as it takes."""
    run = Run(kind, subject, _run.get())
    token, task = _run.set(run), _task.set(None)
    try:
        with in_scope(hooks_of(subject)):
            yield
    except BaseException as error:
        if not isinstance(error, Exception):  # a failure has its end from CrewAI itself
            _end(run, kind, subject, error)
        raise
    finally:
        _run.reset(token)
        _task.reset(task)
        binding.manager._runs.drop(run.id)


def _end(run: Run, kind: str, subject: Any, error: BaseException) -> None:
    """Dispatch the end of a run that was cancelled, which CrewAI leaves without one."""
    begun = "execution_start" in run.points and "execution_end" not in run.points
    if kind == "crew" or (kind == "flow" and begun):
        subject._dispatch_execution_end_failure(error)


def patch(patches: Patches) -> None:
    """Mark what CrewAI's kickoff methods do as runs, and tasks as tasks."""
    from crewai import Agent, Crew, Flow, Task
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
    patches.set(Task, "_execute_core", _task_sync(Task._execute_core))
    patches.set(Task, "_aexecute_core", _task_async(Task._aexecute_core))


def _noted(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def dispatch(self: Any, point: Any, ctx: Any) -> Any:
        run = _run.get()
        if run is not None and run.attributes.get("flow") is self:
            run.points.add(str(point.value))
        return method(self, point, ctx)

    return dispatch


def _is_part(subject: Any) -> bool:
    """Whether a flow is CrewAI's own machinery inside somebody's run."""
    return bool(getattr(type(subject), "is_crewai_internal", False)) and _run.get() is not None


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


def _task_sync(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def execute(self: Any, *args: Any, **kwargs: Any) -> Any:
        token = _task.set(self)
        try:
            return method(self, *args, **kwargs)
        finally:
            _task.reset(token)

    return execute


def _task_async(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def execute(self: Any, *args: Any, **kwargs: Any) -> Any:
        token = _task.set(self)
        try:
            return await method(self, *args, **kwargs)
        finally:
            _task.reset(token)

    return execute
