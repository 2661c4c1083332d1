"""A naive model of one dispatch, written from the hook contract; nothing of it is the product's."""

from __future__ import annotations

from copy import deepcopy
from fnmatch import fnmatchcase
from types import SimpleNamespace
from typing import Any

from hookcore import Abort, HookAborted, Replace

from .cases import FALSE_ABORTS, TYPES, Act, Case, HookCase, Signal, first_payload, perform
from .outcomes import Outcome, told


class BrokenContract(Exception):  # noqa: N818 - whatever the product calls it
    """A hook behaved as no hook may."""


class MeaninglessAnswer(BrokenContract):
    """A hook answered what no hook may, and might have meant a denial."""


def order(hook: HookCase) -> tuple[int, bool, int, int, int]:
    """Return what hooks are sorted by: scope, wrappers, rank, priority, registration."""
    by_operator = hook.operator.priority
    priority = by_operator if by_operator is not None else hook.priority
    rank = {"tryfirst": 0, "trylast": 2}.get(hook.rank or "", 1)
    return (
        hook.depth,
        hook.role != "wrapper",
        1 if by_operator is not None else rank,
        100 if priority is None else priority,
        hook.index,
    )


def always_passes(error: BaseException | None) -> bool:
    """Tell whether nothing may swallow an exception."""
    return error is not None and (not isinstance(error, Exception) or isinstance(error, Signal))


class Oracle:
    """Predicts the outcome of one case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.observes = case.point == "tool_finished"
        self.payload: Any = first_payload(case.point)
        self.tool = case.tool
        self.out = Outcome()
        self.records: list[tuple[str, str, str, str]] = []
        self.modified = False

    def run(self) -> Outcome:
        """Dispatch."""
        problem: BaseException | None = None
        try:
            if self.observes:
                self._observe()
            else:
                self._chain([hook for hook in self._hooks() if hook.role != "gate"])
                self._chain([hook for hook in self._hooks() if hook.role == "gate"])
        except BaseException as error:  # noqa: BLE001 - the model ends as the product does
            problem = error
        self.out.payload, self.out.tool, self.out.raised = self.payload, self.tool, told(problem)
        if self.records and self.case.watcher != "nobody":
            self.out.event = self._event(problem)
        return self.out

    def _hooks(self) -> list[HookCase]:
        return sorted(filter(self._wanted, self.case.hooks), key=order)

    def _wanted(self, hook: HookCase) -> bool:
        tool, agent = self.tool, self.case.agent
        tools = [] if tool is None else [tool, tool.lower().replace(" ", "_")]
        agents = [agent] if isinstance(agent, str) else [agent.role, agent.name] if agent else []
        return all(
            not names or patterns is None or any(fnmatchcase(n, p) for n in names for p in patterns)
            for names, patterns in (
                (tools, hook.tools),
                (tools, hook.operator.tools),
                (agents, hook.agents),
                (agents, hook.operator.agents),
            )
        )

    def _chain(self, hooks: list[HookCase]) -> None:
        for position, hook in enumerate(hooks):
            wrapper = hook.role == "wrapper"
            fault, changed = self._turn(hook, "before" if wrapper else "call", hook.act)
            if wrapper and fault is None:
                self._around(hook, hooks[position + 1 :], changed=changed)
                return
            self._judge(hook, fault, changed=changed)

    def _around(self, hook: HookCase, inner: list[HookCase], *, changed: bool) -> None:
        problem: BaseException | None = None
        try:
            self._chain(inner)
        except BaseException as error:  # noqa: BLE001 - wrappers see all that is raised
            problem = error
        act, phase = (hook.after, "after") if problem is None else (hook.rescue, "rescue")
        fault, edited = self._turn(hook, phase, act, problem)
        try:
            self._judge(hook, fault, changed=changed or edited, problem=problem)
        except BaseException:
            if not always_passes(problem):
                raise
        kept = fault is not None or hook.operator.monitor or always_passes(problem)
        if problem is not None and kept:
            raise problem

    def _observe(self) -> None:
        original, tool = self.payload, self.tool
        self.payload = deepcopy(original)
        first: BaseException | None = None
        try:
            for hook in self._hooks():
                try:
                    self._chain([hook])
                except BaseException as error:  # noqa: BLE001 - all are told; the host gets it then
                    if first is None or (always_passes(error) and not always_passes(first)):
                        first = error
        finally:
            self.payload, self.tool = original, tool
        if first is not None:
            raise first

    def _turn(
        self, hook: HookCase, phase: str, act: Act, problem: BaseException | None = None
    ) -> tuple[BaseException | None, bool]:
        """Let a hook act; return what it raises, and whether it changed the payload."""
        held = deepcopy(self.payload)
        view = SimpleNamespace(payload=held, tool_name=self.tool)
        seen = deepcopy(held) if problem is None else told(problem)
        self.out.seen.append((hook.tag, phase, seen))
        value, fault = held, None
        try:
            answer = perform(act, view, hook.tag, problem)
            value = self._value(hook, act, answer, view.payload, held)
        except BaseException as error:  # noqa: BLE001 - what it is worth is judged later
            fault = error
        replaced = fault is None and (value is not held or answer is not None)
        tracked = self.case.tracked or hook.operator.monitor
        changed = replaced or (tracked and held != self.payload)
        if hook.role == "gate" or self.observes:
            changed = False
        if hook.role != "gate" and not hook.operator.monitor:
            self.payload, self.tool = value, view.tool_name
            self.modified = self.modified or changed
        return fault, changed

    def _value(self, hook: HookCase, act: Act, answer: Any, bound: Any, held: Any) -> Any:
        if act in (Act.NO_YIELD, Act.SECOND_YIELD):
            raise BrokenContract
        if isinstance(answer, Abort):
            raise HookAborted(answer.reason, answer.source)
        if answer is False and self.case.point in FALSE_ABORTS:
            raise HookAborted("(returned False)")
        if hook.role == "gate" or self.observes:
            if answer is not None or (self.observes and bound is not held):
                raise MeaninglessAnswer
            return held
        value = bound if answer is None else answer
        value = value.value if isinstance(value, Replace) else value
        if value is not held and not isinstance(value, TYPES.get(self.case.point, object)):
            raise MeaninglessAnswer
        return value

    def _judge(
        self,
        hook: HookCase,
        fault: BaseException | None,
        *,
        changed: bool,
        problem: BaseException | None = None,
    ) -> None:
        """Record what a hook's turn comes to; raise what ends the dispatch."""
        effect = "observed" if hook.operator.monitor else "applied"
        verdict, ends = "modify" if changed else "allow", fault
        if always_passes(fault) and fault is not problem:
            verdict, effect = "error", "applied"
        elif isinstance(fault, HookAborted) and fault is not problem and not self.observes:
            verdict = "deny"
            fault.source = fault.source or f"{hook.tag}.{self.case.point}"
        elif fault is not None and fault is not problem:
            on_error = hook.operator.on_error or hook.on_error
            on_error = on_error or ("deny" if hook.role == "gate" else "allow")
            if isinstance(fault, MeaninglessAnswer) and not self.observes:
                on_error = "deny"
            verdict = "error"
            if on_error == "deny":
                ends = None if self.observes else HookAborted("(a hook failed)", hook.tag)
            ends = None if on_error == "allow" else ends
            effect = "ignored" if ends is None and effect == "applied" else effect
        self.records.append((hook.tag, self.case.point, verdict, effect))
        if ends is not None and (effect != "observed" or ends is problem):
            raise ends

    def _event(self, problem: BaseException | None) -> dict[str, Any]:
        agent = self.case.agent
        role_or_name = (
            agent if agent is None or isinstance(agent, str) else agent.role or agent.name
        )
        modified = "modified" if self.modified else "proceeded"
        return {
            "point": self.case.point,
            "outcome": modified if problem is None else "aborted",
            "hook_count": len(self.records),
            "error_count": sum(record[2] == "error" for record in self.records),
            "tool": self.case.tool,
            "agent": role_or_name,
            "tracked": self.case.tracked,
            "records": self.records,
        }
