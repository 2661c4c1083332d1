"""Requests whose results come later: a task is begun, and asked for what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from .rpc import MalformedError
from .sides import Side

__all__ = ["Deferred", "Tasks", "holds_result", "task_of"]

_MOST: Final = 10_000
_RESULTS: Final = ("result", "error", "inputRequests")


@dataclass(frozen=True, slots=True)
class Deferred:
    """The way in which a task's result is judged.

    Args:
        settled: gives what policies leave of it.
        restored: makes a result of that, and of the result that came.
        shown: gives what policies see of the result that came.
    """

    settled: Callable[[Any], Awaitable[Any]]
    restored: Callable[[Any, Any], dict[str, Any]]
    shown: Callable[[Any], Any] = lambda result: result


def task_of(result: Any) -> Any:
    """Return the id of the task that a result tells of, None where it tells of none."""
    task = result.get("task") if isinstance(result, dict) else None
    if isinstance(task, dict):
        return task.get("taskId")
    tells = isinstance(result, dict) and result.get("resultType") == "task"
    return result.get("taskId") if tells else None


def holds_result(state: Any) -> bool:
    """Return whether a task's state holds what has to be judged."""
    return isinstance(state, dict) and any(name in state for name in _RESULTS)


class Tasks:
    """The tasks of a session, by who began them."""

    def __init__(self) -> None:
        self._judged: dict[tuple[Side, str], Deferred] = {}

    def begun(self, asker: Side, task: Any, deferred: Deferred) -> None:
        """Note how the result of a task is to be judged.

        Args:
            asker: who will ask for the result.
            task: the task's id, None for no task.
            deferred: the way.

        Raises:
            MalformedError: there is such a task already, whose result would be judged as this one.
        """
        if not isinstance(task, str):
            return
        if (asker, task) in self._judged:
            raise MalformedError("the task's id is in use")
        if len(self._judged) >= _MOST:
            del self._judged[next(iter(self._judged))]
        self._judged[asker, task] = deferred

    def knows(self, asker: Side, task: str) -> bool:
        """Return whether a task was begun in this session."""
        return (asker, task) in self._judged

    def find(self, asker: Side, task: str) -> Deferred:
        """Return how a task's result is judged.

        Raises:
            MalformedError: this session has not begun such a task.
        """
        found = self._judged.get((asker, task))
        if found is None:
            raise MalformedError("it is of a task that this session has not begun")
        return found
