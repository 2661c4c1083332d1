"""The dicts that plugins keep for the length of a run."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

from .copying import Snapshot

__all__ = ["RunStates", "States"]

_MOST_UNOPENED = 1024


class States:
    """The state dicts of one run or one dispatch: one for each plugin, and a shared one."""

    __slots__ = ("asked", "by_plugin", "shared")

    def __init__(self) -> None:
        self.by_plugin: dict[object, dict[str, Any]] = {}
        self.shared: dict[str, Any] = {}
        #: The hooks that asked a person in this dispatch, each with the payload that it left.
        self.asked: list[tuple[str, Snapshot | None]] = []

    def of(self, plugin: object) -> dict[str, Any]:
        """Return the dict of one plugin; the same one each time."""
        return self.by_plugin.setdefault(plugin, {})

    def note_answer(self, payload: Any) -> None:
        """Note the payload that the last hook to ask left: its answer is good for that."""
        label, known = self.asked[-1]
        if known is None:
            self.asked[-1] = (label, Snapshot(payload))


class RunStates:
    """The states of the runs in progress.

    A run that the host opened keeps its states until it is closed. A run that only shows as the
    ``run_id`` of contexts keeps them until its end is dispatched, or until 1,024 younger ones came.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[str, tuple[States, int]] = {}
        self._unopened: OrderedDict[str, States] = OrderedDict()

    def open(self, run_id: str) -> None:
        """Begin a run; the same id opened twice has to be closed twice."""
        with self._lock:
            opened = self._open.get(run_id)
            if opened is None:
                opened = (self._unopened.pop(run_id, States()), 0)
            self._open[run_id] = (opened[0], opened[1] + 1)

    def close(self, run_id: str) -> None:
        """End a run and drop its states."""
        with self._lock:
            states, count = self._open[run_id]
            if count == 1:
                del self._open[run_id]
            else:
                self._open[run_id] = (states, count - 1)

    def get(self, run_id: str) -> States:
        """Return the states of a run, made at first use."""
        with self._lock:
            opened = self._open.get(run_id)
            if opened is not None:
                return opened[0]
            states = self._unopened.setdefault(run_id, States())
            self._unopened.move_to_end(run_id)
            if len(self._unopened) > _MOST_UNOPENED:
                self._unopened.popitem(last=False)
            return states

    def drop(self, run_id: str) -> None:
        """Forget a run that no host opened, when its end was dispatched."""
        with self._lock:
            self._unopened.pop(run_id, None)

    def __len__(self) -> int:
        return len(self._open) + len(self._unopened)
