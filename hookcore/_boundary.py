"""What all boundaries share: their dispatches as steps, their status, their one end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import isawaitable, iscoroutine
from typing import TYPE_CHECKING, Any

from hookcore_specs import Denied, HookAborted, HookContext

from ._gates import Gates
from ._record import source_name
from ._requests import AwaitHook, Steps
from ._wraps import WrapRun

if TYPE_CHECKING:
    from ._core import ManagerCore

__all__ = ["Boundary", "checked_on_denied", "denied_value", "status_of"]


def status_of(error: BaseException | None, body_error: BaseException | None) -> str:
    """Return how a boundary ended: ok, error, denied or cancelled.

    Args:
        error: what the boundary raises.
        body_error: what its body raised; an abort from in there is the body's error, no denial.
    """
    if error is None:
        return "ok"
    if isinstance(error, asyncio.CancelledError) or not isinstance(error, Exception):
        return "cancelled"
    if isinstance(error, HookAborted) and error is not body_error:
        return "denied"
    return "error"


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

    def __init__(self, manager: ManagerCore, ctx: HookContext, *, asynchronous: bool) -> None:
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

    def ending(self, point: str, error: BaseException | None) -> Steps:
        """Dispatch the boundary's one end."""
        if isinstance(error, GeneratorExit):
            self.manager._drive(self.judge(point, self.ctx))
        else:
            yield from self.judge(point, self.ctx)

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

    def call_body(self, call: Callable[[Any], Any], payload: Any) -> Steps:
        """Call the host's function and wait for what it returns."""
        try:
            result = call(payload)
            if isawaitable(result):
                result = yield from self._awaited(result)
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
