"""What all boundaries share: their dispatches as steps, their status, their one end."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable, iscoroutine
from typing import TYPE_CHECKING, Any

from hookcore_specs import Denied, HookAborted, HookContext, ModelCallContext, ToolCallContext
from hookcore_specs.contexts import EndingContext

from ..dispatch.copying import copy_payload
from ..dispatch.records import source_name
from ..waiting.requests import AwaitHook, Steps
from ..wraps.onion import WrapRun
from .gates import Gates

if TYPE_CHECKING:
    from ..dispatch.core import ManagerCore

__all__ = ["Boundary", "checked_on_denied", "denied_value"]


def checked_on_denied(on_denied: str) -> bool:
    """Return whether a denial is returned instead of raised.

    Raises:
        ValueError: ``on_denied`` is neither ``"raise"`` nor ``"return"``.
    """
    if on_denied not in ("raise", "return"):
        raise ValueError(f"on_denied= takes 'raise' or 'return', not {on_denied!r}")
    return on_denied == "return"


def denied_value(error: HookAborted, point: str) -> Denied:
    """Return an abort as the value that a model can be told."""
    return Denied(
        source=source_name(error.source) or "policy",
        message=error.message,
        reason=error.reason,
        point=point,
    )


class Boundary:
    """The dispatches of one boundary, as steps that sync and async hosts drive alike."""

    def __init__(self, manager: ManagerCore, ctx: EndingContext, *, asynchronous: bool) -> None:
        self.manager = manager
        self.ctx = ctx
        self.asynchronous = asynchronous
        self.body_error: BaseException | None = None

    def dispatch(self, point: str, ctx: HookContext | None = None) -> Steps:
        """Dispatch a point."""
        yield from self.judge(point, self.ctx if ctx is None else ctx)

    def judge(self, point: str, ctx: HookContext) -> Steps:
        """Dispatch a point; return the context that its gates judged, or None without gates."""
        plan = self.manager._plans[point]
        rest = None if plan is None else plan.fast(ctx)
        if plan is None or rest is None:
            return None
        dispatch = self.manager._left(plan, ctx, rest, asynchronous=self.asynchronous)
        if dispatch is None:
            return None
        yield from dispatch.steps(rest.resume)
        return dispatch.judged

    def answered(self, point: str) -> Steps:
        """Dispatch the point after the body; return the value that the host goes on with.

        Raises:
            Exception: the body's error, which no hook has put a value in the place of.
        """
        value = yield from self.settled(point)
        if self.ctx.error is not None:
            raise self.ctx.error
        return value

    def settled(self, point: str) -> Steps:
        """Dispatch a point; return its payload as the hooks left it."""
        ctx = self.ctx
        judged: Any = yield from self.judge(point, ctx)
        if judged is None:
            return ctx.payload
        # What the gates let pass is the value, whatever others did to the context since.
        ctx.error, ctx.payload = judged.error, copy_payload(judged.payload)
        return judged.payload

    def looks_at(self, error: BaseException) -> bool:
        """Whether an exception is the body's own failure, which the hooks after it may look at."""
        return error is self.body_error and not self._passes(error)

    def _passes(self, error: BaseException) -> bool:
        return not isinstance(error, Exception) or isinstance(error, self.manager.control_flow)

    def status(self, error: BaseException | None) -> str:
        """Return how the boundary ended: ok, error, denied or cancelled.

        Args:
            error: what it raises. An abort from inside the body is the body's error, no denial.
        """
        if error is None:
            return "ok"
        if self._passes(error):
            return "cancelled"
        denied = isinstance(error, HookAborted) and error is not self.body_error
        return "denied" if denied else "error"

    def ending(self, point: str, error: BaseException | None, *, waits: bool = False) -> Steps:
        """Dispatch the boundary's one end.

        Args:
            point: the point that tells of it.
            error: what the boundary raises; no hook's failure takes its place.
            waits: whether a boundary that is being closed may wait all the same.
        """
        steps = self.judge(point, self.ctx)
        try:
            if isinstance(error, GeneratorExit) and not waits:
                self.manager._drive(steps)
            else:
                yield from steps
        except Exception as second:
            if error is None or (self._passes(second) and not self._passes(error)):
                raise

    def wrapped(self, pre: str, wrap: str, call: Callable[[Any], Steps]) -> Steps:
        """Dispatch ``pre``, then run ``call`` inside the hooks of ``wrap``, the gates innermost.

        Args:
            pre: the intercept point before the body.
            wrap: the wrap point around it.
            call: the steps of the body, for the payload that it gets.
        """
        judged = yield from self.judge(pre, self.ctx)
        gates = Gates(self.manager, pre, self.ctx, judged, asynchronous=self.asynchronous)

        def innermost(payload: Any) -> Steps:
            return (yield from call((yield from gates.judged_again(payload))))

        plan = self.manager._wrap_plans[wrap]
        chain = None if plan is None else self.manager._resolve(plan, self.ctx)
        if plan is None or chain is None:
            payload = yield from gates.judged_again(self.ctx.payload, wrapped=False)
            return (yield from call(payload))
        run = WrapRun(
            self.manager, plan, chain, self.ctx, innermost, asynchronous=self.asynchronous
        )
        return (yield from run.steps())

    def called(
        self,
        ctx: ModelCallContext | ToolCallContext,
        pre: str,
        wrap: str,
        call: Callable[[Any], Steps],
    ) -> Steps:
        """Run a call as :meth:`wrapped` does; ``ctx`` has its result then, or its body's error."""
        try:
            result = yield from self.wrapped(pre, wrap, call)
        except Exception as error:
            if not self.looks_at(error):
                raise
            ctx.settle(None)
            ctx.error = error
        else:
            ctx.settle(result)

    def call_body(self, call: Callable[[Any], Any], payload: Any) -> Steps:
        """Call the host's function and wait for what it returns."""
        try:
            result = call(payload)
            if isawaitable(result):
                result = yield from self._awaited(result)
        except StopIteration as error:
            # No generator lets it through: Python would make another error of it on the way.
            self.body_error = RuntimeError("the function raised StopIteration")
            raise self.body_error from error
        except BaseException as error:
            self.body_error = error
            raise
        return result

    def _awaited(self, result: Any) -> Steps:
        if self.asynchronous:
            return (yield AwaitHook(result, None))
        # Handed on as it is, the real result would pass the policies by.
        if iscoroutine(result):
            result.close()
        raise TypeError(
            "the function returned an awaitable to a host that does not await: "
            "call it through the boundary's async twin"
        )
