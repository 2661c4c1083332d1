"""The dicts that plugins keep for the length of a run."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

from hookcore_specs import HookAborted, HookContext

from ..hooks.hook import Hook
from .copying import Snapshot

__all__ = ["Asked", "RunStates", "States"]

_MOST_UNOPENED = 1024


@dataclass(slots=True, eq=False)
class Asked:
    """A hook that asked a person, and the payload and the tool that its answer is good for."""

    label: str
    snapshot: Snapshot | None = None
    tool: Any = None

    def check(self, ctx: HookContext, payload: Any) -> None:
        """Refuse what the person was not asked about.

        Raises:
            HookAborted: it is another payload, or another tool, than was shown.
        """
        if self.snapshot is None:
            return
        if self.tool == getattr(ctx, "tool_name", None) and self.snapshot.is_of(payload):
            return
        raise HookAborted(
            f"{self.label} asked a person about something else than what would be used: mark it "
            "with gate=True, so that it judges what the other hooks have made",
            source=self.label,
        )


class States:
    """The state dicts of one run or one dispatch: one for each plugin, and a shared one."""

    __slots__ = ("asked", "by_plugin", "observed", "shared")

    def __init__(self) -> None:
        self.by_plugin: dict[object, dict[str, Any]] = {}
        self.shared: dict[str, Any] = {}
        #: The hooks that asked a person in this dispatch, each with the payload that it left.
        self.asked: list[Asked] = []
        #: The denials by rules that are only monitored, each with the hook that would have denied.
        self.observed: list[tuple[Hook, HookAborted]] = []

    def of(self, plugin: object) -> dict[str, Any]:
        """Return the dict of one plugin; the same one each time."""
        return self.by_plugin.setdefault(plugin, {})

    def observed_by(self, hook: Hook) -> dict[str, HookAborted]:
        """Return a hook's denials by rules that are only monitored, by rule; they are told once."""
        mine = {str(denial.rule): denial for by, denial in self.observed if by is hook.original}
        self.observed = [one for one in self.observed if one[0] is not hook.original]
        return mine

    def note_answer(self, ctx: HookContext) -> None:
        """Note what the last hook to ask left: its answer is good for that."""
        last = self.asked[-1]
        if last.snapshot is None:
            last.snapshot, last.tool = Snapshot(ctx.payload), getattr(ctx, "tool_name", None)


class RunStates:
    """The states of the runs in progress.

    A run that the host opened keeps its states until it is closed. A run that only shows as the
    ``run_id`` of contexts keeps them until its end is dispatched, or until 1,024 younger ones came.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        #: The states of each, made at first use, and how often it was opened.
        self._open: dict[str, tuple[States | None, int]] = {}
        self._unopened: OrderedDict[str, States] = OrderedDict()

    def open(self, run_id: str) -> None:
        """Begin a run; the same id opened twice has to be closed twice."""
        with self._lock:
            opened = self._open.get(run_id)
            if opened is None:
                opened = (self._unopened.pop(run_id, None), 0)
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
                made = opened[0] or States()
                if made is not opened[0]:
                    self._open[run_id] = (made, opened[1])
                return made
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
