"""The methods that run an operation inside the hooks of a wrap point, and no more."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any

from hookcore_specs import HookContext

from ..dispatch.carrying import StartedIn
from ..dispatch.plans import Plans
from ..dispatch.stepping import source_of, stepped
from ..streams.wrapped import WrappedStream
from ..waiting.requests import AwaitBody, Steps, adrive
from ..wraps.plain import PlainWraps, are_plain
from ..wraps.plain_async import AsyncPlainWraps, are_awaited
from ..wraps.wrapped import WrappedCall

__all__ = ["WrapMethods"]


class WrapMethods:
    """Wrap points by themselves."""

    _plans: Plans

    def wrap(self, point: str, ctx: HookContext, call: Callable[[Any], Any]) -> Any:
        """Run ``call(payload)`` inside the hooks of a wrap point and return the result.

        Args:
            point: the wrap point.
            ctx: the context; its payload is the request.
            call: the operation.

        Raises:
            HookAborted: a hook stopped the operation.
            RegistrationError: one of the hooks is async.
        """
        plan = self._plans.wrap(point)
        chain = self._plans.resolve(plan, ctx)
        if plan is not None and chain is not None and are_plain(self._plans, chain):
            return PlainWraps(self._plans, plan, chain, ctx, call).result()
        steps = self._wrap_steps(point, ctx, call, asynchronous=False)
        return self._plans.services.drive(steps)

    async def awrap(self, point: str, ctx: HookContext, call: Callable[[Any], Any]) -> Any:
        """Run an operation inside the hooks of a wrap point, awaiting what is async."""
        plan = self._plans.wrap(point)
        chain = self._plans.resolve(plan, ctx)
        if plan is not None and chain is not None and are_awaited(self._plans, chain):
            return await AsyncPlainWraps(self._plans, plan, chain, ctx, call).aresult()
        return await adrive(self._wrap_steps(point, ctx, call, asynchronous=True))

    def awrap_stream(
        self, point: str, ctx: HookContext, call: Callable[[Any], Any]
    ) -> AsyncGenerator[Any, None]:
        """Return the events of a streaming operation as the hooks of a wrap point pass them on.

        Args:
            point: the wrap point.
            ctx: the context; its payload is the request.
            call: gives an async iterator of events, or a coroutine for one.
        """
        plan = self._plans.wrap(point)
        chain = self._plans.resolve(plan, ctx)
        if plan is None or chain is None:
            return stepped(StartedIn(self._plans.scopes), lambda: source_of(call(ctx.payload)))
        return WrappedStream(self._plans, plan, chain, ctx, call).stream()

    def _wrap_steps(
        self, point: str, ctx: HookContext, call: Callable[[Any], Any], *, asynchronous: bool
    ) -> Steps:
        plan = self._plans.wrap(point)

        def body(payload: Any) -> Steps:
            result = call(payload)
            if asynchronous and hasattr(result, "__await__"):
                result = yield AwaitBody(result)
            return result

        chain = self._plans.resolve(plan, ctx)
        if plan is None or chain is None:
            return (yield from body(ctx.payload))
        run = WrappedCall(self._plans, plan, chain, ctx, body, asynchronous=asynchronous)
        return (yield from run.steps())
