"""For the tests of policies and hosts: what was dispatched, and a process manager put back.

pytest users get all of this as fixtures; see :mod:`hookcore.pytest_plugin`.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from hookcore_specs import HookDispatchedEvent, HookRecord

if TYPE_CHECKING:
    from ..manager import HookManager

__all__ = [
    "EventRecorder",
    "HandClock",
    "abandoned_threads",
    "as_new_process",
    "clock_by_hand",
    "kept_runs",
    "process_manager_restored",
    "recorded",
    "register_configured",
    "run_without_waiting",
]


_T = TypeVar("_T")


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


@contextmanager
def as_new_process(*path: str | os.PathLike[str]) -> Iterator[None]:
    """Let a block find what a new process would find: nothing discovered, no process-wide manager.

    What the block leaves behind is gone at its end: a process-wide manager that it made is closed,
    the path is as before, imports are guarded by the locks of before, and the next question for
    plugins looks at what is installed then.

    Args:
        path: folders to put before ``sys.path``, with made-up distributions perhaps. Modules that
            the block imports from them are forgotten at its end.
    """
    from .. import discovery
    from ..trust.guarding import guards_restored

    folders = [os.path.realpath(folder) for folder in path]
    before, modules = list(sys.path), set(sys.modules)
    sys.path[:] = [*folders, *(entry for entry in before if entry not in folders)]
    importlib.invalidate_caches()
    discovery._cached = None
    try:
        with process_manager_restored(), guards_restored():
            if _manager_of_process() is not None:
                _set_manager_of_process(None)
            yield
    finally:
        sys.path[:] = before
        for name in sys.modules.keys() - modules:
            if _lies_in(folders, sys.modules[name]):
                del sys.modules[name]
        discovery._cached = None


def register_configured(
    manager: HookManager,
    plugin: object,
    name: str | None = None,
    *,
    distribution: str | None = None,
    version: str | None = None,
    **options: Any,
) -> str:
    """Register a plugin as if it were installed and the operator's configuration had its table.

    Args:
        manager: the manager to register it with.
        plugin: the plugin.
        name: its name; None for one of its own.
        distribution: the distribution that it seems to come from; None for none.
        version: the version of that distribution.
        options: what the table says: ``mode``, ``on_error``, ``priority``, ``timeout``, ``points``,
            ``tools``, ``agents``, ``rollout``, and ``rules`` with a table for each rule.

    Returns:
        The plugin's name.
    """
    from ..hooks.options import OperatorOptions, RuleOptions

    rules = {rule: RuleOptions(**table) for rule, table in options.pop("rules", {}).items()}
    operator = OperatorOptions(**options, rules=rules)
    return manager.register_configured(
        plugin, name, distribution=distribution, version=version, operator=operator
    )


class HandClock:
    """A clock that shows what a test has set; see :func:`clock_by_hand`."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def advance(self, seconds: float) -> None:
        """Let time pass, also from inside a hook."""
        self._seconds += seconds

    def monotonic(self) -> float:
        """Return the seconds that have passed."""
        return self._seconds


@contextmanager
def clock_by_hand() -> Iterator[HandClock]:
    """Let the timeouts of hooks count the seconds that a test lets pass, and no real ones.

    A hook times out when it, or another thread, has advanced the clock past its timeout; however
    slow the machine is, nothing else makes it time out. The one who waits looks at the clock again
    after as many real seconds as the timeout has left, so a short timeout makes a quick test.

    Yields:
        The clock.
    """
    from ..waiting import requests

    clock, module = HandClock(), cast("Any", requests)
    before, module.time = module.time, clock
    try:
        yield clock
    finally:
        module.time = before


def run_without_waiting(main: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine like :func:`asyncio.run`, on a loop whose seconds pass when all wait.

    As soon as nothing is left to be done but to wait for a time, it is that time. So sleeps and
    time limits come in their order, at once, and however slow the machine is. Work in threads and
    on sockets takes real time: a time limit around it is over before it.

    Args:
        main: the coroutine.

    Returns:
        What it returns.
    """
    import asyncio

    class Hurried(asyncio.SelectorEventLoop):
        passed = 0.0

        def time(self) -> float:
            return self.passed

    async def to_the_end() -> _T:
        try:
            return await main
        finally:
            left = asyncio.all_tasks() - {asyncio.current_task()}
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            await loop.shutdown_asyncgens()
            await loop.shutdown_default_executor()

    loop = Hurried()
    selector = cast("Any", loop)._selector
    select = selector.select

    def hurry(timeout: float | None = None) -> Any:
        ready = select(timeout if timeout is None else 0)
        if timeout and not ready:
            loop.passed += timeout
        return ready

    selector.select = hurry
    try:
        return loop.run_until_complete(to_the_end())
    finally:
        loop.close()


def kept_runs(manager: HookManager) -> int:
    """Return how many runs the manager keeps plugins' state for."""
    return len(manager.parts.services.states)


def abandoned_threads(manager: HookManager) -> int:
    """Return how many threads still run a hook that has timed out."""
    return len(manager.parts.services.workers._abandoned)


def _lies_in(folders: list[str], module: object) -> bool:
    file = getattr(module, "__file__", None)
    return bool(file) and any(Path(folder) in Path(str(file)).parents for folder in folders)


@dataclass
class _Snapshot:
    """The state of a manager that a test may change."""

    manager: HookManager

    def __post_init__(self) -> None:
        parts = self.manager.parts
        self.plugins = parts.registry.state()
        self.points = dict(parts.table)
        self.listeners = parts.plans.listeners.subscribed
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
