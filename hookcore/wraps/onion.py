"""One hook around an operation: its account, its failures, and what they leave standing."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeVar

from hookcore_specs import Abort, Effect, HookAborted, HookContext, Replace
from hookcore_specs._runtime import ACTIVE, Frame, living

from ..dispatch.answers import abort_of, denial_of, log_failure, means_denial
from ..dispatch.carrying import UNSET
from ..dispatch.contexts import view_of
from ..dispatch.copying import Snapshot
from ..dispatch.deferred import refuse_deferred
from ..dispatch.engine import LISTENER, running_hooks
from ..dispatch.plain import ATOMS
from ..dispatch.plan import Chain, Plan
from ..dispatch.plans import Plans
from ..dispatch.records import Records, make_event
from ..dispatch.services import Services
from ..dispatch.states import States
from ..dispatch.stops import note_failure
from ..errors import WrongResultError, describe_failure
from ..hooks.hook import Hook
from ..later import asyncio
from ..waiting.requests import Steps, cancellations

__all__ = ["RESULTS", "HookLayer", "InnerCall", "Onion", "answered", "checked_result", "is_signal"]

RESULTS = ATOMS | {dict, list}
"""Types whose values are results and nothing else."""

_L = TypeVar("_L", bound="HookLayer")


class InnerCall:
    """The state of the layers inside a wrap: not called, a result, or an error."""

    __slots__ = ("called", "error", "result", "sent", "shown", "signal", "snapshot")

    def __init__(self) -> None:
        self.called = False
        self.result: Any = UNSET
        self.error: BaseException | None = None
        #: The payload that the hook passed on.
        self.sent: Any = UNSET
        #: What the hook was given as the result: a copy of it in monitor mode.
        self.shown: Any = UNSET
        self.snapshot: Snapshot | None = None
        #: A host's signal that the operation raised, which nobody may swallow.
        self.signal: BaseException | None = None

    def fail(self, error: BaseException, *, signal: bool) -> None:
        """Note what the operation raised, and whether that is a signal."""
        self.error = error
        if signal:
            self.signal = error

    def outcome(self) -> Any:
        """Return the inner result, or raise the inner error."""
        if self.error is not None:
            raise self.error
        return self.result


class Onion:
    """One run of an operation through the hooks of a wrap point."""

    def __init__(
        self,
        plans: Plans,
        plan: Plan,
        chain: Chain,
        ctx: HookContext,
        call: Callable[[Any], Any],
    ) -> None:
        self.plans = plans
        self.services = plans.services
        self.plan = plan
        self.ctx = ctx
        self.call = call
        self.records = Records(tracked=plans.services.tracks_mutations)
        self.outer = living(ACTIVE.get())
        self.states = States()
        self.running = running_hooks()
        self.tool = getattr(ctx, "tool_name", None)
        self.hooks = chain.hooks
        #: What a hook of this run ended the operation with.
        self.ended_by: BaseException | None = None

    def finish(self, stopped_by: BaseException | None, *, waits: bool = False) -> Steps:
        """Tell the listeners; what the operation itself raised is no abort of the dispatch.

        Args:
            stopped_by: what the run ends with.
            waits: whether a run that is being closed may wait all the same.
        """
        if not self.records.count or LISTENER in self.running:
            return
        own = stopped_by is self.ended_by or not isinstance(stopped_by, Exception)
        stopper = stopped_by if own else None
        name = self.plan.spec.name
        steps = self.services.emit(
            lambda: make_event(name, self.ctx, self.records, stopper, self.tool)
        )
        if steps is not None and isinstance(stopped_by, GeneratorExit) and not waits:
            self.services.drive(steps)
        elif steps is not None:
            yield from steps

    def frame(self, hook: Hook) -> Frame:
        """Return a frame in which ``hook`` is running."""
        return [self.outer, hook, self.services, self.states, hook]

    def made(self, make: Callable[[], _L], hook: Hook) -> _L | None:
        """Return a hook's layer, or None for a hook that is left out.

        That is one that caused this operation, and a monitored one that can be given no copy.
        """
        if hook.original in self.running:
            self.records.skip(hook)
            return None
        started = perf_counter()
        try:
            return make()
        except Exception as error:
            if not hook.monitor:
                raise
            self.records.note(hook, "error", started, failure=describe_failure(error))
            log_failure(hook, error, "it was not called; the operation goes on")
            return None

    def passes(self, error: BaseException) -> bool:
        """Return whether an exception is one that no hook and no ``on_error`` may swallow."""
        return self.services.passes(error)

    def is_signal(self, error: BaseException) -> bool:
        """Return whether an error goes on whatever a hook makes of it."""
        return is_signal(self.services, error)


class HookLayer:
    """One hook around the layers inside it."""

    def __init__(self, run: Onion, hook: Hook) -> None:
        self.run: Any = run  # a WrapRun or a StreamRun
        self.hook = hook
        self.inner = InnerCall()
        self.payload = run.ctx.payload
        self.view = view_of(run.ctx) if hook.monitor else run.ctx
        self.tracked = run.records.tracked or hook.monitor
        self.snapshot = Snapshot(self.view.payload) if self.tracked else None
        self.started = perf_counter()

    def enter(self, payload: Any) -> None:
        """Note that the hook calls the operation, with another payload or with its own."""
        inner, ctx = self.inner, self.run.ctx
        inner.called = True
        inner.error, inner.result = None, UNSET
        if self.hook.monitor:
            replaced = payload is not UNSET and payload is not self.view.payload
            inner.sent = payload if replaced else UNSET
            ctx.payload = self.payload
            return
        if payload is not UNSET:
            ctx.payload = payload
        inner.sent = ctx.payload

    def changed(self, result: Any) -> bool:
        """Tell whether the hook passed on, or returned, something other than it was given."""
        inner = self.inner
        if inner.sent is not UNSET and inner.sent is not self.payload:
            return True
        if result is not UNSET and (not inner.called or result is not inner.shown):
            return True
        if inner.snapshot is not None and inner.snapshot.changed():
            return True
        return self.snapshot is not None and self.snapshot.changed()

    def done(self, *, changed: bool) -> None:
        """Record a hook that came to its end."""
        self._note_rules(passed=True)
        self.run.records.note(self.hook, "modify" if changed else "allow", self.started)

    def refuse(self, error: BaseException) -> None:
        """Record a hook that did not come to its end; raise what ends the operation, if that does.

        What the operation raised, and what may not be swallowed, is raised as it is.
        """
        hook, run = self.hook, self.run
        signal = self.inner.signal
        if signal is not None and error is not signal and not run.passes(error):
            error = signal  # it goes on, whatever the hook made of it
        if error is self.inner.error or isinstance(error, GeneratorExit):
            self.done(changed=self.changed(UNSET))
            raise error
        if run.passes(error):
            run.records.note(
                hook, "error", self.started, failure=describe_failure(error), effect="applied"
            )
            raise error
        self._note_rules(passed=False)
        if isinstance(error, HookAborted):
            run.records.note(hook, "deny", self.started, rule=error.rule)
            if not hook.monitor:
                self._end(abort_of(hook, error))
            return
        self._failed(error)

    def _note_rules(self, *, passed: bool) -> None:
        if self.hook.monitored_rules:
            denied = self.run.states.observed_by(self.hook)
            self.run.records.note_rules(self.hook, denied, passed=passed)

    def _failed(self, error: BaseException) -> None:
        hook = self.hook
        # An answer that means nothing might have meant a denial.
        on_error = "deny" if means_denial(error, self.inner.error) else hook.on_error
        allowed = hook.monitor or on_error == "allow"
        swallowed = allowed and self.stands()
        effect: Effect | None = "ignored" if swallowed and not hook.monitor else None
        self.run.records.note(
            hook, "error", self.started, failure=describe_failure(error), effect=effect
        )
        log_failure(hook, error, "the operation goes on" if swallowed else "the operation ends")
        if not swallowed:
            denied = on_error == "deny" and not allowed
            self._end(denial_of(hook, error) if denied else note_failure(error, self.run.ctx))

    def _end(self, error: BaseException) -> None:
        self.run.ended_by = error
        raise error

    def stands(self) -> bool:
        """Tell whether the operation amounts to something without the hook.

        It does not when the hook itself cancelled it, and it never runs twice.
        """
        inner = self.inner
        if isinstance(inner.error, asyncio.CancelledError):
            return cancellations() > 0
        return not inner.called or inner.error is not None or inner.result is not UNSET


def is_signal(services: Services, error: BaseException) -> bool:
    """Return whether an error goes on whatever a hook makes of it.

    A cancellation may be the hook's own, of an operation that took too long; one of the task
    itself is told by the task.
    """
    if isinstance(error, (asyncio.CancelledError, GeneratorExit)):
        return False
    return services.passes(error)


def answered(hook: Hook, value: Any) -> Any:
    """Return the result that a hook's returned value stands for.

    Raises:
        HookAborted: it is an abort.
        WrongResultError: it is a near-miss of one.
    """
    if type(value) is Replace:
        value = value.value
    elif type(value) is Abort:
        raise HookAborted(value.reason, value.source, value.message, value.rule)
    kind = value if isinstance(value, type) else type(value)
    if issubclass(kind, (Abort, HookAborted, Replace)):
        raise WrongResultError(
            f"{hook.label} answered {kind.__name__}: raise HookAborted, or return Abort(reason), "
            "Replace(value) or a result"
        )
    return value


def checked_result(hook: Hook, value: Any) -> Any:
    """Return the result that a hook's returned value stands for, which is no deferred one.

    Raises:
        HookAborted: it is an abort.
        WrongResultError: it is a near-miss of one, a generator or an awaitable.
    """
    if type(value) in RESULTS:
        return value
    value = answered(hook, value)
    refuse_deferred(value, f"{hook.label} at {hook.spec.name}")
    return value
