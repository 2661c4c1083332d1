"""A naive model of one dispatch, written from the hook contract; nothing of it is the product's."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import SimpleNamespace
from typing import Any

from hookcore import Abort, HookAborted, Replace

from .cases import FALSE_ABORTS, TYPES, Act, Case, HookCase, Signal, first_payload, perform

Line = tuple[str, str, str, str]


class BrokenContract(Exception):  # noqa: N818 - whatever the product calls it
    """A hook answered or behaved as no hook may."""


@dataclass
class Outcome:
    """What a dispatch came to; ``seen`` has each hook's turn: plugin, phase, and what it saw."""

    seen: list[tuple[str, str, Any]] = field(default_factory=list)
    payload: Any = None
    tool: str | None = None
    raised: Any = None
    event: Any = None


def told(error: BaseException | None) -> Any:
    """Return an exception in the terms that the contract fixes."""
    if isinstance(error, HookAborted):
        reason = error.reason if error.reason.startswith("because") else "(why it was denied)"
        return "HookAborted", reason, error.source
    if error is None or type(error).__name__ in ("ValueError", "Stop", "Signal"):
        return None if error is None else (type(error).__name__, *error.args)
    return ("broken contract",)


class Oracle:
    """Predicts the outcome of one case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.payload: Any = first_payload(case.point)
        self.tool = case.tool
        self.out = Outcome()
        self.records: list[Line] = []
        self.modified = False

    def run(self) -> Outcome:
        """Dispatch."""
        problem: BaseException | None = None
        try:
            if self.case.point == "tool_finished":
                self._observe()
            else:
                self._chain([hook for hook in self._hooks() if hook.role != "gate"])
                self._gates()
        except BaseException as error:
            problem = error
        self.out.payload, self.out.tool, self.out.raised = self.payload, self.tool, told(problem)
        self.out.event = self._event(problem) if self.records else None
        return self.out

    def _hooks(self) -> list[HookCase]:
        hooks = self.case.hooks if self.started else tuple(self.case.hooks)
        return sorted((hook for hook in hooks if self._wanted(hook)), key=order)

    def _wanted(self, hook: HookCase) -> bool:
        plain = None if self.tool is None else self.tool.lower().replace(" ", "_")
        agent = self.case.agent
        names = [agent] if isinstance(agent, str) else [agent.role, agent.name] if agent else []
        return all(
            matches(patterns, present)
            for present, filters in (
                ([self.tool, plain], (hook.tools, hook.operator.tools)),
                (names, (hook.agents, hook.operator.agents)),
            )
            for patterns in filters
        )

    def _chain(self, hooks: list[HookCase]) -> None:
        if not hooks:
            return
        hook, rest = hooks[0], hooks[1:]
        if hook.role != "wrapper":
            self._call(hook, "call", hook.act)
            self._chain(rest)
            return
        entered, changed = self._call(hook, "before", hook.act)
        problem: BaseException | None = None
        try:
            self._chain(rest)
        except BaseException as error:
            problem = error
        if entered:
            problem = self._leave(hook, problem, changed=changed)
        if problem is not None:
            raise problem

    def _leave(
        self, hook: HookCase, problem: BaseException | None, *, changed: bool
    ) -> BaseException | None:
        """Return what goes on to the wrapper outside: the problem, another one, or none."""
        act, phase = (hook.after, "after") if problem is None else (hook.rescue, "rescue")
        try:
            self._call(hook, phase, act, problem, changed=changed)
        except BaseException as error:
            if problem is None or always_passes(error) or not always_passes(problem):
                return problem if always_passes(problem) else error
        return problem if hook.operator.monitor or always_passes(problem) or self.kept else None

    def _gates(self) -> None:
        for hook in self._hooks():
            if hook.role == "gate":
                self._call(hook, "call", hook.act)

    def _observe(self) -> None:
        first: BaseException | None = None
        original, self.payload = self.payload, deepcopy(self.payload)
        try:
            for hook in self._hooks():
                try:
                    self._call(hook, "call", hook.act)
                except Signal:
                    raise
                except Exception as error:  # noqa: BLE001 - the host gets it at the end
                    first = first or error
        finally:
            self.payload = original
        if first is not None:
            raise first
