"""Wrap points: hooks around an operation, the first in order outermost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from inspect import isasyncgenfunction, isgeneratorfunction
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from hookcore_specs import Effect, HookAborted, HookContext, Replace
from hookcore_specs._runtime import ACTIVE, Frame, leave

from ._copying import clone, copy_payload, digest
from ._engine import LISTENER, running_hooks
from ._hook import Hook
from ._plan import Chain, Plan
from ._record import Account, make_event
from ._requests import AwaitHook, Steps, adrive
from ._settle import abort_of, denial_of, describe, log_failure
from .errors import RegistrationError

if TYPE_CHECKING:
    from ._core import ManagerCore

__all__ = ["UNSET", "Inner", "WrapRun"]

UNSET: Final[Any] = object()
"""Stands for a payload or result that is not there, where None could be one."""


class Inner:
    """What became of the layers inside a wrap: not called, a result, or an error."""

    __slots__ = ("called", "error", "result", "sent")

    def __init__(self) -> None:
        self.called = False
        self.result: Any = UNSET
        self.error: BaseException | None = None
        self.sent: Any = UNSET

    def outcome(self) -> Any:
        """Return the inner result, or raise the inner error."""
        if self.error is not None:
            raise self.error
        return self.result


class WrapRun:
    """One run of an operation through the hooks of a wrap point."""

    def __init__(
        self,
        manager: ManagerCore,
        plan: Plan,
        chain: Chain,
        ctx: HookContext,
        call: Callable[[Any], Steps],
        *,
        asynchronous: bool,
    ) -> None:
        self.manager = manager
        self.plan = plan
        self.ctx = ctx
        self.call = call
        self.asynchronous = asynchronous
        self.account = Account(tracked=manager.tracks_mutations)
        self.outer = ACTIVE.get()
        self.running = running_hooks()
        self.tool = getattr(ctx, "tool_name", None)
        self.hooks = chain.hooks
        if not asynchronous:
            self._refuse_async()

    def _refuse_async(self) -> None:
        for hook in self.hooks:
            if not isgeneratorfunction(hook.call):
                raise RegistrationError(
                    f"{hook.origin()}: hook {hook.name} at {hook.spec.name} is async, and this "
                    "host calls without an event loop: only a plain generator with one yield can "
                    "stand around its operations"
                )

    def steps(self) -> Steps:
        """Run the layers and the operation, and tell the listeners; return the result."""
        self.ctx.point = self.plan.label
        stopped_by: BaseException | None = None
        try:
            return (yield from self.layer(0))
        except BaseException as error:
            stopped_by = error
            raise
        finally:
            yield from self.finish(stopped_by)

    def finish(self, stopped_by: BaseException | None) -> Steps:
        """Tell the listeners; what the operation itself raised is no abort of the dispatch."""
        if not self.account.count or LISTENER in self.running:
            return
        aborted = stopped_by if isinstance(stopped_by, HookAborted) else None
        steps = self.manager._emit(
            lambda: make_event(self.plan, self.ctx, self.account, aborted, self.tool)
        )
        if steps is not None and isinstance(stopped_by, GeneratorExit):
            self.manager._drive(steps)
        elif steps is not None:
            yield from steps

    def layer(self, index: int) -> Steps:
        """Run the layers from ``index`` inwards; return the result."""
        if index == len(self.hooks):
            return (yield from self._body())
        hook = self.hooks[index]
        if hook.original in self.running:
            self.account.skip(hook)
            return (yield from self.layer(index + 1))
        return (yield from Layer(self, hook, index).steps())

    def _body(self) -> Steps:
        return (yield from self.call(self.ctx.payload))

    def frame(self, hook: Hook) -> Frame:
        """Return a frame in which ``hook`` is running."""
        return [self.outer, hook, self.manager, None]


class Layer:
    """One hook around the layers inside it."""

    def __init__(self, run: WrapRun, hook: Hook, index: int) -> None:
        self.run = run
        self.hook = hook
        self.index = index
        self.inner = Inner()
        self.payload = run.ctx.payload
        self.view = clone(run.ctx, copy_payload(self.payload)) if hook.monitor else run.ctx
        tracked = run.account.tracked or hook.monitor
        self.digest = digest(self.view.payload) if tracked else None
        self.started = perf_counter()

    def steps(self) -> Steps:
        """Run the hook; return its result, or the inner one where the hook failed."""
        run, hook = self.run, self.hook
        try:
            if isgeneratorfunction(hook.call):
                result = yield from self._around_yield()
            else:
                result = yield from self._awaited()
            return (yield from self.accept(result))
        except BaseException as error:
            # What an aborting or failing hook leaves undone must be done under "allow".
            if not self.answers_for(error):
                raise
            self.refuse(error)
            return (yield from self._without())
        finally:
            run.ctx.payload = self.payload

    def accept(self, result: Any) -> Steps:
        """Record a hook that came to its end; return what the operation results in."""
        if not self.inner.called and result is UNSET:
            raise RuntimeError(f"{self.hook.label} ended without calling the operation")
        changed = self.changed(result)
        self.run.account.note(self.hook, "modify" if changed else "allow", self.started)
        if self.hook.monitor:
            return (yield from self._without())
        return self.inner.outcome() if result is UNSET else result

    def changed(self, result: Any) -> bool:
        """Whether the hook passed on, or returned, something other than it was given."""
        inner = self.inner
        if inner.sent is not UNSET and inner.sent is not self.payload:
            return True
        if result is not UNSET and (not inner.called or result is not inner.result):
            return True
        return self.digest is not None and digest(self.view.payload) != self.digest

    def answers_for(self, error: BaseException) -> bool:
        """Whether an exception is the hook's own: not the operation's, and not control flow."""
        if error is self.inner.error or not isinstance(error, Exception):
            return False
        return not isinstance(error, self.run.manager.control_flow)

    def refuse(self, error: BaseException) -> None:
        """Record a hook that aborted or failed; raise what ends the operation, if that does."""
        hook, account = self.hook, self.run.account
        if isinstance(error, HookAborted):
            account.note(hook, "deny", self.started)
            if not hook.monitor:
                raise abort_of(hook, error)
            return
        swallowed = hook.monitor or hook.on_error == "allow"
        effect: Effect | None = "ignored" if swallowed and not hook.monitor else None
        account.note(hook, "error", self.started, failure=describe(error), effect=effect)
        log_failure(hook, error, "the operation goes on" if swallowed else "the operation ends")
        if swallowed:
            return
        if hook.on_error == "deny":
            raise denial_of(hook, error)
        raise error

    def _without(self) -> Steps:
        """Return what the operation results in without this hook; the body never runs twice."""
        if self.inner.called:
            return self.inner.outcome()
        self.run.ctx.payload = self.payload
        return (yield from self.run.layer(self.index + 1))

    def enter(self, payload: Any) -> None:
        """Note that the hook calls the operation, with another payload or with its own."""
        inner, ctx = self.inner, self.run.ctx
        inner.called = True
        inner.error = None
        if self.hook.monitor:
            inner.sent = self.view.payload if payload is UNSET else payload
            ctx.payload = self.payload
            if inner.sent is self.view.payload:
                inner.sent = UNSET
            return
        if payload is not UNSET:
            ctx.payload = payload
        inner.sent = ctx.payload

    def _inward(self, payload: Any) -> Steps:
        self.enter(payload)
        inner = self.inner
        token = ACTIVE.set(self.run.outer)
        try:
            inner.result = yield from self.run.layer(self.index + 1)
        except BaseException as error:
            inner.error = error
            raise
        finally:
            leave(token)
        # A monitored hook must not reach the real result through its copy.
        return copy_payload(inner.result) if self.hook.monitor else inner.result

    def _around_yield(self) -> Steps:
        generator = self._on(lambda: self.hook.call(self.view, _use_yield))
        try:
            passed = self._on(lambda: next(generator))
        except StopIteration as stop:
            return _value(stop.value)  # a short circuit: nothing inside is called
        problem: BaseException | None = None
        result: Any = None
        try:
            result = yield from self._inward(UNSET if passed is None else passed)
        except BaseException as error:  # noqa: BLE001 - the hook sees it, and passes it on
            problem = error
        try:
            if problem is None:
                self._on(lambda: generator.send(result))
            else:
                self._on(lambda: generator.throw(problem))
        except StopIteration as stop:
            return self._after_yield(stop.value, problem)
        generator.close()
        raise RuntimeError(f"{self.hook.label} has a second yield")

    def _after_yield(self, value: Any, problem: BaseException | None) -> Any:
        if value is None and problem is not None:
            # The generator swallowed the error without putting a result in its place.
            self.inner.error = None
            self.inner.result = None
        return _value(value)

    def _on(self, call: Callable[[], Any]) -> Any:
        token = ACTIVE.set(self.run.frame(self.hook))
        try:
            return call()
        finally:
            leave(token)

    def _awaited(self) -> Steps:
        token = ACTIVE.set(self.run.frame(self.hook))
        try:
            if isasyncgenfunction(self.hook.call):
                coroutine: Any = self._last_event()
            else:
                coroutine = self.hook.call(self.view, self._call_next)
            return (yield AwaitHook(coroutine, None))
        finally:
            leave(token)

    async def _call_next(self, payload: Any = UNSET) -> Any:
        return await adrive(self._inward(payload))

    async def _last_event(self) -> Any:
        """Run a streaming hook around a call that does not stream: the result is one event."""
        last: Any = UNSET

        async def one_event(payload: Any = UNSET) -> AsyncIterator[Any]:
            yield await self._call_next(payload)

        async for event in self.hook.call(self.view, one_event):
            last = event
        return last


def _use_yield(_payload: Any = None) -> Any:
    raise RuntimeError(
        "a plain generator calls the operation with its one yield, not with call_next()"
    )


def _value(value: Any) -> Any:
    if value is None:
        return UNSET
    return value.value if type(value) is Replace else value
