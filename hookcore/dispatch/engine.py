"""The dispatch engine for chains that need more than the fast loop.

It is written once, as a generator of what it has to wait for; ``drive`` and ``adrive`` wait, for
sync and for async hosts.
"""

from __future__ import annotations

from collections.abc import Generator
from inspect import isawaitable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookAborted, HookContext, Kind, Verdict
from hookcore_specs._runtime import ACTIVE, HOOK, PARENT, STATES, Frame, leave, living, running_hook

from ..errors import HookTimeoutError
from ..hooks.hook import Hook
from ..waiting.requests import AwaitHook, Request, RunInThread
from .answers import describe, settle
from .copying import adopt, clone, copy_payload
from .plan import Chain, Plan
from .records import Account, make_event
from .verdicts import Verdicts
from .watch import take_over
from .wrappers import Wrapper

if TYPE_CHECKING:
    from .core import ManagerCore

__all__ = ["LISTENER", "Dispatch", "running_hooks"]

Steps = Generator[Request, Any, Any]

LISTENER: Any = object()
"""Stands in a frame's place of the hook while listeners are told of an event."""


def running_hooks() -> list[Any]:
    """Return the hooks whose calls led to the code that asks, innermost first."""
    hooks: list[Any] = []
    frame: Frame | None = ACTIVE.get()
    while frame is not None:
        hook = running_hook(frame)
        if hook is not None:
            hooks.append(getattr(hook, "original", hook))
        frame = frame[PARENT]
    return hooks


class Dispatch(Verdicts):
    """One dispatch of an intercept or observe point."""

    __slots__ = (
        "_running",
        "asynchronous",
        "chain",
        "ctx",
        "frame",
        "judged",
        "tool",
    )

    def __init__(
        self,
        manager: ManagerCore,
        plan: Plan,
        chain: Chain,
        ctx: HookContext,
        *,
        asynchronous: bool,
        account: Account | None = None,
    ) -> None:
        super().__init__(manager, plan, account or Account(tracked=manager.tracks_mutations))
        self.chain = chain
        self.ctx = ctx
        self.asynchronous = asynchronous
        self.tool = getattr(ctx, "tool_name", None)
        #: What the gates let pass: a context of their own, which nobody else has.
        self.judged: HookContext | None = None
        self._running = running_hooks()
        self.frame: Frame = [living(ACTIVE.get()), None, manager, None]

    def steps(
        self, resume: tuple[int, Any, Any] | None = None, *, gates_only: bool = False
    ) -> Steps:
        """Run the whole dispatch.

        Args:
            resume: where the fast loop stopped: a hook's index, the awaitable it returned, and
                the payload before it was called.
            gates_only: let only the gates judge, since the other hooks have run.
        """
        self.ctx.point = self.plan.label
        token = ACTIVE.set(self.frame)
        stopped_by: BaseException | None = None
        try:
            if self.plan.spec.kind is Kind.OBSERVE:
                yield from self._observe()
            elif gates_only:
                yield from self._judge()
            else:
                yield from self._intercept(resume)
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
            self.manager._runs.drop(self.ctx.run_id)
        if self.account.count and LISTENER not in self._running:
            steps = self.manager._emit(
                lambda: make_event(self.plan, self.ctx, self.account, stopped_by, self.tool)
            )
            if steps is not None and isinstance(stopped_by, GeneratorExit):
                self.manager._drive(steps)  # a generator that is being closed cannot wait
            elif steps is not None:
                yield from steps

    def _intercept(self, resume: tuple[int, Any, Any] | None) -> Steps:
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
                    yield from self.call(hook, self.ctx, given=resume[1:])
                else:
                    yield from self.call(hook, self.ctx)
        except BaseException as error:  # noqa: BLE001 - wrappers see it; then it goes on
            problem = error
        while wrappers:
            outcome = wrappers.pop().leave(problem)
            problem = problem if self.passes(problem) else outcome
        if problem is not None:
            raise problem
        yield from self._judge()

    def _enter(self, hook: Hook, wrappers: list[Wrapper]) -> None:
        wrapper = Wrapper(self, hook)
        if wrapper.enter():
            wrappers.append(wrapper)

    def _judge(self) -> Steps:
        """Let the gates judge a copy of the final value, and make what they judged the payload."""
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
        try:
            judged = clone(self.ctx, copy_payload(self.ctx.payload))
        except Exception as error:
            self.account.note(gates[0], "error", perf_counter(), failure=describe(error))
            raise HookAborted(
                f"the payload cannot be copied for {gates[0].label} to judge: {describe(error)}",
                source=gates[0].plugin,
            ) from error
        for gate in gates:
            view = clone(judged, copy_payload(judged.payload))
            yield from self.call(gate, view)
        self.judged = judged
        self._put_back(judged)

    def begin(self, hook: Hook) -> None:
        """Enter a frame of the hook's own: what an earlier hook left running stays in its own."""
        self.frame = [self.frame[PARENT], hook, self.manager, self.frame[STATES]]
        ACTIVE.set(self.frame)

    def passes_over(self, hook: Hook) -> bool:
        """Whether the hook is running already, since it caused this dispatch; record that."""
        if hook.original in self._running:
            self.account.skip(hook)
            return True
        return False

    def _put_back(self, judged: HookContext) -> None:
        before = self.ctx.payload
        adopt(self.ctx, judged)
        self.ctx.payload = copy_payload(judged.payload)
        if self.plan.spec.options.write_back and isinstance(before, list):
            before[:] = self.ctx.payload
            self.ctx.payload = before

    def _observe(self) -> Steps:
        try:
            payload = copy_payload(self.ctx.payload)
        except Exception:  # noqa: BLE001 - a payload's own copying may raise anything
            payload = self.ctx.payload
        view = clone(self.ctx, payload)
        first: BaseException | None = None
        for hook in self.chain.hooks:
            if self.passes_over(hook):
                continue
            try:
                yield from self.call(hook, view)
            except self.manager.control_flow:
                raise
            except Exception as error:  # noqa: BLE001 - raised when all hooks have been told
                first = first or error
        if first is not None:
            raise first

    def call(
        self,
        hook: Hook,
        ctx: HookContext,
        *,
        given: tuple[Any, Any] | None = None,
        wanted: type = object,
    ) -> Steps:
        """Call one hook and apply its answer; raise what ends the dispatch.

        Args:
            hook: the hook.
            ctx: what it is called with.
            given: what it returned already, when the fast loop has called it, and the payload
                before that.
            wanted: the type that the payload has to keep.
        """
        started = perf_counter()
        watch = self.watch(hook, ctx, started)
        if watch is None:
            return
        view = watch.view
        before = view.payload if given is None else given[1]
        self.begin(hook)
        try:
            result = given[0] if given is not None else (yield from self._run(hook, view))
            if isawaitable(result):
                result = yield AwaitHook(result, hook.timeout)
            if hook.gate:
                replaced = self._settle_gate(hook, view, result)
            else:
                replaced = settle(hook, view, result, before, wanted=wanted)
        except HookAborted as error:
            view.payload = before
            self.denied(hook, watch, error, started)
        except self.manager.control_flow as error:
            self.passed(hook, error, started)
            raise
        except Exception as error:  # noqa: BLE001 - rule 4: any failure of a hook is handled
            view.payload = before
            self.failed(hook, watch, error, started)
        except BaseException as error:
            self.passed(hook, error, started)
            raise
        else:
            changed = replaced or (not hook.gate and watch.changed())
            verdict: Verdict = "modify" if changed else "allow"
            record = self.account.note(hook, verdict, started)
            if changed:
                watch.trace(record)
        finally:
            self.frame[HOOK] = None

    def _run(self, hook: Hook, view: HookContext) -> Steps:
        threaded = not hook.asynchronous and (
            hook.timeout is not None or (hook.offload and self.asynchronous)
        )
        if not threaded:
            return hook.call(view)
        copied = copy_payload(view.payload)
        twin = clone(view, copied)
        try:
            result = yield RunInThread(self.manager._workers, lambda: hook.call(twin), hook.timeout)
            if isawaitable(result):
                result = yield AwaitHook(result, hook.timeout)
        except HookTimeoutError:
            raise  # it may be running still
        except Exception:
            twin.payload = copied  # what it assigned is discarded, what it edited stays
            take_over(view, twin, copied)
            raise
        take_over(view, twin, copied)
        return result

    def _settle_gate(self, hook: Hook, view: HookContext, result: Any) -> bool:
        before = view.payload
        if result is not None:
            # An abort or a wrong type raises here; any other value is no answer of a gate.
            settle(hook, view, result, before)
            raise TypeError("a gate returns nothing: it lets pass or aborts")
        return False
