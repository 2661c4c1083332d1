"""The base of all boundaries: their dispatches as steps, their status, their one end."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable
from typing import Any, Literal, TypeAlias

from hookcore_specs import Denied, HookAborted, HookContext, ModelCallContext, ToolCallContext
from hookcore_specs.contexts import EndingContext

from ..dispatch.plans import Plans
from ..dispatch.records import source_name
from ..dispatch.unfinished import ALL, AsyncLoop, Unfinished, whole
from ..waiting.requests import AwaitBody, Steps
from ..wraps.wrapped import WrappedCall
from . import inside
from .failed import BodyFailed
from .iterators import refuse_coroutine
from .judging import Judging

__all__ = ["Boundary", "OnDenied", "checked_on_denied", "denied_value"]

OnDenied: TypeAlias = Literal["raise", "return"]
"""The ways to tell of a denial: it is raised, or returned as a value for the model."""


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


class Boundary(inside.Mark):
    """The dispatches of one boundary, as steps that sync and async hosts drive alike."""

    ctx: EndingContext

    def __init__(self, plans: Plans, ctx: EndingContext, *, asynchronous: bool) -> None:
        super().__init__(plans, ctx)
        self.services = plans.services
        self.asynchronous = asynchronous
        self.body_error: BaseException | None = None
        #: Whether the host goes on after its body's error, and what with.
        self.goes_on = False
        self.instead: Any = None
        #: The gates of the first point, once that has been dispatched.
        self.judging: Judging | None = None

    def dispatch(self, point: str, ctx: HookContext | None = None) -> Steps:
        """Dispatch a point."""
        yield from self.judge(point, self.ctx if ctx is None else ctx)

    def judge(self, point: str, ctx: HookContext) -> Steps:
        """Dispatch a point; return the context that its gates judged, or None without gates."""
        plan = self.plans.live[point]
        left = None if plan is None else plan.loop(ctx)
        if left is ALL and plan is not None:
            loop = self.plans.async_loop(plan, ctx, asynchronous=self.asynchronous)
            left = ALL if loop is None else (yield from self._looped(loop, ctx))
        if plan is None or left is None:
            return None
        if left.judged is not None:
            return left.judged
        dispatch = self.plans.dispatch(plan, ctx, left, asynchronous=self.asynchronous)
        if dispatch is None:
            return None
        yield from dispatch.steps(left, keeps_judged=True)
        return dispatch.judged

    def _looped(self, loop: AsyncLoop, ctx: HookContext) -> Steps:
        if not self.asynchronous:
            return (yield AwaitBody(whole(loop, ctx)))
        left = loop(ctx)
        if left is None or type(left) is Unfinished:
            return left
        return (yield AwaitBody(left))  # a hook waits for something

    def answered(self, point: str) -> Steps:
        """Dispatch the point after the body; return the value that the host goes on with.

        Raises:
            Exception: the body's error, which no hook has put a value in the place of.
        """
        value = yield from self.settled(point)
        if self.ctx.error is not None and not self.goes_on:
            raise self.ctx.error
        return value

    def settled(self, point: str) -> Steps:
        """Dispatch a point; return its payload as the hooks left it and the gates judged it."""
        ctx = self.ctx
        judged: Any = yield from self.judge(point, ctx)
        if judged is None:
            return ctx.payload
        # What the gates let pass is the value, whatever others did to the context since. It stays
        # out of the context, which others may still hold.
        ctx.error = judged.error
        return judged.payload

    def looks_at(self, error: BaseException) -> bool:
        """Return whether an exception is the body's own failure, which later hooks may look at."""
        return error is self.body_error and not self.services.passes(error)

    def status(self, error: BaseException | None) -> str:
        """Return how the boundary ended: ok, error, denied or cancelled.

        Args:
            error: what it raises. An abort from inside the body is the body's error, no denial.
        """
        if error is None:
            return "ok"
        if self.services.passes(error):
            return "cancelled"
        denied = isinstance(error, HookAborted) and error is not self.body_error
        return "denied" if denied else "error"

    def ending(
        self,
        point: str,
        error: BaseException | None,
        ctx: HookContext | None = None,
        *,
        waits: bool = False,
    ) -> Steps:
        """Dispatch the boundary's one end.

        Args:
            point: the point that tells of it.
            error: what the boundary raises; no hook's failure takes its place.
            ctx: the context; the boundary's own when None.
            waits: whether a boundary that is being closed may wait all the same.
        """
        steps = self.judge(point, self.ctx if ctx is None else ctx)
        try:
            if isinstance(error, GeneratorExit) and not waits:
                self.services.drive(steps)
            else:
                yield from steps
        except Exception as second:
            passes = self.services.passes
            if error is None or (passes(second) and not passes(error)):
                raise

    def wrapped(self, pre: str, wrap: str, call: Callable[[Any], Steps]) -> Steps:
        """Dispatch ``pre``, then run ``call`` inside the hooks of ``wrap``, the gates innermost.

        Args:
            pre: the intercept point before the body.
            wrap: the wrap point around it.
            call: the steps of the body, for the payload that it gets.
        """
        judged = yield from self.judge(pre, self.ctx)
        judging = Judging(self.plans, pre, self.ctx, judged, asynchronous=self.asynchronous)
        self.judging = judging

        def innermost(payload: Any) -> Steps:
            return (yield from call((yield from judging.judged_again(payload))))

        plan = self.plans.wraps[wrap]
        chain = self.plans.resolve(plan, self.ctx)
        if plan is None or chain is None:
            payload = yield from judging.judged_again(self.ctx.payload, wrapped=False)
            return (yield from call(payload))
        run = WrappedCall(
            self.plans, plan, chain, self.ctx, innermost, asynchronous=self.asynchronous
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
            ctx.settle(self.instead if self.goes_on else None)
            ctx.error = error
        else:
            ctx.settle(result)

    def call_body(self, call: Callable[[Any], Any], payload: Any) -> Steps:
        """Call the host's function and wait for what it returns."""
        self.goes_on, self.instead = False, None
        token = inside.enter(self, payload)
        try:
            result = call(payload)
            while isawaitable(result):  # an async function may return another one's coroutine
                result = yield from self._awaited(result)
        except BodyFailed as failed:
            self.goes_on, self.instead = True, failed.value
            self.body_error = failed.error
        except StopIteration as error:
            # No generator lets it through: Python would make another error of it on the way.
            self.body_error = RuntimeError("the function raised StopIteration")
            raise self.body_error from error
        except BaseException as error:
            self.body_error = error
            raise
        else:
            return result
        finally:
            inside.leave(self, token)
        raise self.body_error  # not from within the except block: its own cause stays as it is

    def _awaited(self, result: Any) -> Steps:
        if self.asynchronous:
            return (yield AwaitBody(result))
        # Handed on as it is, the real result would pass the policies by.
        return refuse_coroutine(result)
