"""The dispatch engine: every rule of the hook contract, for chains of any kind.

It is written once, as a generator of what it has to wait for; ``drive`` and ``adrive`` wait, for
sync and for async hosts. The compiled loops are faster spellings of it for some chains.
"""

from __future__ import annotations

from inspect import isawaitable
from time import perf_counter
from typing import Any, Final

from hookcore_specs import HookContext, Kind
from hookcore_specs._runtime import ACTIVE, HOOK, PARENT, STATES, Frame, leave, living

from ..errors import describe_failure
from ..hooks.hook import Hook
from ..waiting.requests import AwaitHook, Steps
from .attempt import Attempt
from .contexts import judged_copy, shielded, view_of
from .judged import put_back, uncopied
from .offloading import in_thread
from .plan import Chain, Plan
from .records import Records, make_event
from .services import Services
from .unfinished import ALL, Gating, Kept, Unfinished, Watching
from .wrappers import Wrapper

__all__ = ["LISTENER", "Dispatch", "running_hooks"]

LISTENER: Final[Any] = object()
"""Stands in a frame's place of the hook while listeners are told of an event."""


def running_hooks() -> list[Any]:
    """Return the hooks whose calls led to the code that asks, innermost first."""
    hooks: list[Any] = []
    frame: Frame | None = ACTIVE.get()
    while frame is not None:
        hook = frame[HOOK]
        if hook is not None:
            hooks.append(getattr(hook, "original", hook))
        frame = frame[PARENT]
    return hooks


class Dispatch:
    """One dispatch of an intercept or observe point.

    Args:
        services: what the manager's parts share.
        plan: the plan of the point.
        chain: the hooks for the context's tool and agent.
        ctx: the context.
        asynchronous: whether the host awaits.
        records: what was said already, by hooks that a compiled loop ran.
    """

    __slots__ = (
        "_running",
        "asynchronous",
        "chain",
        "ctx",
        "frame",
        "judged",
        "plan",
        "records",
        "services",
        "tool",
    )

    def __init__(
        self,
        services: Services,
        plan: Plan,
        chain: Chain,
        ctx: HookContext,
        *,
        asynchronous: bool,
        records: Records | None = None,
    ) -> None:
        self.services = services
        self.plan = plan
        self.records = records or Records(tracked=services.tracks_mutations)
        self.chain = chain
        self.ctx = ctx
        self.asynchronous = asynchronous
        self.tool = getattr(ctx, "tool_name", None)
        #: What the gates let pass: a context of their own, which nobody else has.
        self.judged: HookContext | None = None
        self._running = running_hooks()
        self.frame: Frame = [living(ACTIVE.get()), None, services, None]

    def steps(
        self,
        left: Unfinished = ALL,
        *,
        gates_only: bool = False,
        keeps_judged: bool = False,
    ) -> Steps:
        """Run the whole dispatch; return the context.

        Args:
            left: where a compiled loop stopped.
            gates_only: let only the gates judge, since the other hooks have run.
            keeps_judged: leave the judged value in ``judged``, for a boundary that uses that,
                instead of putting a copy of it back where the host holds its own.
        """
        self.ctx.point = self.plan.label
        token = ACTIVE.set(self.frame)
        stopped_by: BaseException | None = None
        try:
            if self.plan.spec.kind is Kind.OBSERVE:
                yield from self._observe(left.watching)
            else:
                if not gates_only and left.gating is None:
                    yield from self._intercept(left.resume, left.kept)
                yield from self._judge(left.gating, left.kept)
                if self.judged is not None and not keeps_judged:
                    put_back(self.plan, self.ctx, self.judged)
        except BaseException as error:
            stopped_by = error
            raise
        finally:
            self.frame[HOOK] = None
            leave(token)
            yield from self.finish(stopped_by)
        return self.ctx

    def finish(self, stopped_by: BaseException | None) -> Steps:
        """Tell the listeners of the dispatch."""
        if self.plan.ends_run and self.ctx.run_id is not None:
            self.services.states.drop(self.ctx.run_id)
        if self.records.count and LISTENER not in self._running:
            name = self.plan.spec.name
            steps = self.services.emit(
                lambda: make_event(name, self.ctx, self.records, stopped_by, self.tool)
            )
            if steps is not None and isinstance(stopped_by, GeneratorExit):
                self.services.drive(steps)  # a generator that is being closed cannot wait
            elif steps is not None:
                yield from steps

    def _intercept(self, resume: tuple[int, Any, Any] | None, kept: Kept | None) -> Steps:
        wrappers: list[Wrapper] = []
        problem: BaseException | None = None
        first = 0 if resume is None else resume[0]
        try:
            for index, hook in enumerate(self.chain.hooks[first:], first):
                if self.passes_over(hook):
                    continue
                if hook.wrapper:
                    self._enter(hook, wrappers)
                elif resume is not None and index == first:
                    yield from self.call(hook, self.ctx, given=resume[1:], kept=kept)
                else:
                    yield from self.call(hook, self.ctx)
        except BaseException as error:  # noqa: BLE001 - wrappers see it; then it goes on
            problem = error
        while wrappers:
            problem = self._leave(wrappers.pop(), problem)
        if problem is not None:
            raise problem
        if self.frame[STATES] is not None:
            for asked in self.frame[STATES].asked:
                asked.check(self.ctx, self.ctx.payload)

    def _enter(self, hook: Hook, wrappers: list[Wrapper]) -> None:
        wrapper = Wrapper(self.services, self.records, hook)
        self.begin(hook)
        try:
            if wrapper.enter(self.ctx):
                wrappers.append(wrapper)
            self._note_answer(self.ctx)
        finally:
            self.frame[HOOK] = None

    def _leave(self, wrapper: Wrapper, problem: BaseException | None) -> BaseException | None:
        self.begin(wrapper.hook)
        try:
            outcome = wrapper.leave(self.ctx, problem)
            self._note_answer(self.ctx)
        finally:
            self.frame[HOOK] = None
        return problem if self.services.passes(problem) else outcome

    def _judge(self, gating: Gating | None, kept: Kept | None) -> Steps:
        """Let the gates judge a copy of the final value, which nobody else has."""
        chain: Chain | None = self.chain
        if getattr(self.ctx, "tool_name", None) != self.tool:
            chain = self.plan.resolve(self.ctx)
        gates = () if chain is None else chain.gates
        gates = tuple(gate for gate in gates if not self.passes_over(gate))
        if not gates:
            return
        if all(gate.monitor for gate in gates):
            for gate in gates:  # each judges a copy of its own, and nothing is put back
                yield from self.call(gate, self.ctx)
            return
        if gating is not None:
            first, answer, view, judged = gating
            yield from self.call(gates[first], view, given=(answer, view.payload), kept=kept)
            gates = gates[first + 1 :]
        else:
            judged = self._copy_to_judge(gates[0])
        for gate in gates:
            yield from self.call(gate, view_of(judged))
        self.judged = judged

    def _copy_to_judge(self, gate: Hook) -> HookContext:
        try:
            return judged_copy(self.ctx, plain=self.plan.plain)
        except Exception as error:
            failure = describe_failure(error)
            self.records.note(gate, "error", perf_counter(), failure=failure)
            raise uncopied(gate, error) from error

    def begin(self, hook: Hook) -> None:
        """Enter a frame of the hook's own: what an earlier hook left running stays in its own."""
        self.frame = [self.frame[PARENT], hook, self.services, self.frame[STATES], hook]
        ACTIVE.set(self.frame)

    def _note_answer(self, ctx: HookContext) -> None:
        states = self.frame[STATES]
        if states is not None and states.asked:
            states.note_answer(ctx)

    def passes_over(self, hook: Hook) -> bool:
        """Return whether the hook is running already, since it caused this; record that."""
        if hook.original in self._running:
            self.records.skip(hook)
            return True
        return False

    def _observe(self, stopped: Watching | None) -> Steps:
        """Tell each hook, also when one of them fails or the host gives up meanwhile."""
        first, answered, view, problem = stopped or (0, None, shielded(self.ctx), None)
        for index, hook in enumerate(self.chain.hooks[first:], first):
            if self.passes_over(hook):
                continue
            steps = self.call(hook, view, given=answered if index == first else None)
            try:
                if isinstance(problem, GeneratorExit):
                    self.services.drive(steps)  # a generator that is being closed cannot wait
                else:
                    yield from steps
            except BaseException as error:  # noqa: BLE001 - raised when all have been told
                problem = self.services.graver(problem, error)
        if problem is not None:
            raise problem

    def call(
        self,
        hook: Hook,
        ctx: HookContext,
        *,
        given: tuple[Any, Any] | None = None,
        kept: Kept | None = None,
        wanted: type = object,
    ) -> Steps:
        """Call one hook and apply its answer; raise what ends the dispatch.

        Args:
            hook: the hook.
            ctx: what it is called with.
            given: what it returned already, when a compiled loop has called it, and the payload
                before that.
            kept: that payload, and what it was, where a trace keeps it.
            wanted: the type that the payload has to keep.
        """
        attempt = Attempt.begun(self.services, self.records, hook, ctx, kept)
        if attempt is None:
            return
        self.begin(hook)
        try:
            if given is None:
                result = yield from self._run(hook, attempt.view)
            else:
                result, attempt.before = given
            if isawaitable(result):
                result = yield AwaitHook(result, hook.timeout)
            replaced = attempt.settle(result, wanted=wanted)
        except BaseException as error:  # noqa: BLE001 - the attempt raises what ends the dispatch
            attempt.ended(error)
        else:
            attempt.passed(replaced=replaced)
            self._note_answer(attempt.view)
        finally:
            self.frame[HOOK] = None

    def _run(self, hook: Hook, view: HookContext) -> Steps:
        threaded = not hook.asynchronous and (
            hook.timeout is not None or (hook.offload and self.asynchronous)
        )
        if not threaded:
            return hook.call(view)
        return (yield from in_thread(self.services, hook, view))
