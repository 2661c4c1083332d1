"""For the tests of policies and hosts: what was dispatched, and a process manager put back.

pytest users get all of this as fixtures; see :mod:`hookcore.pytest_plugin`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookDispatchedEvent, HookRecord

if TYPE_CHECKING:
    from .manager import HookManager

__all__ = ["EventRecorder", "process_manager_restored", "recorded"]


class EventRecorder(list[HookDispatchedEvent]):
    """A list of events, with the questions that tests ask of it.

    ``manager.subscribe(recorder.append)`` fills it; :func:`recorded` does that for a block.
    """

    def at(self, point: str) -> list[HookDispatchedEvent]:
        """Return the events of one point, given as an enum member or a string."""
        return [event for event in self if event.interception_point == str(point)]

    def outcomes(self, point: str | None = None) -> list[str]:
        """Return the outcomes in order, of all points or of one."""
        return [event.outcome for event in (self if point is None else self.at(point))]

    def records(self, plugin: str) -> list[HookRecord]:
        """Return what the hooks of one plugin said, in order."""
        return [record for event in self for record in event.records if record.plugin == plugin]


@contextmanager
def recorded(manager: HookManager) -> Iterator[EventRecorder]:
    """Record the manager's events until the block ends.

    Args:
        manager: the manager to listen to.

    Yields:
        The events so far, a list that grows; it stays readable after the block.
    """
    recorder = EventRecorder()
    unsubscribe = manager.subscribe(recorder.append)
    try:
        yield recorder
    finally:
        unsubscribe()


@contextmanager
def process_manager_restored() -> Iterator[None]:
    """Undo at the end of the block what it did to the process-wide manager.

    A manager that the block made is closed and forgotten. One that was there before gets back its
    plugins (those of ``@on`` functions included), their switches, its points, its subscribers and
    its prompter.
    """
    before = _manager_of_process()
    snapshot = None if before is None else _Snapshot(before)
    try:
        yield
    finally:
        after = _manager_of_process()
        if after is not before:
            _set_manager_of_process(before)
            if after is not None:
                after.close()
        if snapshot is not None:
            snapshot.restore()


@dataclass
class _Snapshot:
    """The state of a manager that a test may change."""

    manager: HookManager

    def __post_init__(self) -> None:
        parts = self.manager.parts
        self.plugins = parts.registry.state()
        self.points = dict(parts.table)
        self.listeners = parts.plans.listeners.functions
        self.prompter = self.manager.prompter
        self.tracks_mutations = self.manager.tracks_mutations
        self.control_flow = parts.services.control_flow

    def restore(self) -> None:
        """Put it all back, and let the plans follow."""
        manager, parts = self.manager, self.manager.parts
        with parts.plans.lock:
            parts.registry.restore(self.plugins)
            new = [name for name in parts.table if name not in self.points]
            parts.table.restore(self.points)
            parts.plans.forget(new)
            parts.services.control_flow = self.control_flow
            manager.prompter = self.prompter
            manager.tracks_mutations = self.tracks_mutations
            parts.plans.rebuild(self.points)
            parts.plans.listeners.restore(self.listeners)


def _manager_of_process() -> HookManager | None:
    # Who never asked for the process's manager shall not import it only to put it back.
    process: Any = sys.modules.get("hookcore.process")
    manager: HookManager | None = getattr(process, "_manager", None)
    return manager


def _set_manager_of_process(manager: HookManager | None) -> None:
    process: Any = sys.modules.get("hookcore.process")
    process._manager = manager
