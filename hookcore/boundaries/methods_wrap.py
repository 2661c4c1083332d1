"""The methods that run an operation inside the hooks of a wrap point, and no more."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookContext

from ..dispatch.carrying import StartedIn
from ..dispatch.plans import Plans
from ..dispatch.stepping import source_of, stepped
from ..later import Later
from ..waiting.requests import AwaitBody, Steps, adrive
from ..wraps.plain import PlainWraps, are_plain
from ..wraps.plain_async import AsyncPlainWraps, are_awaited
from ..wraps.wrapped import WrappedCall

if TYPE_CHECKING:
    from ..streams import wrapped as streams
else:  # for those who stream
    streams = Later(lambda: import_module("..streams.wrapped", __package__))

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
        if plan is None or chain is None:
            return call(ctx.payload)
        if are_plain(self._plans, chain):
            return PlainWraps(self._plans, plan, chain, ctx, call).result()

        def body(payload: Any) -> Steps:
            return call(payload)
            yield  # a generator all the same

        run = WrappedCall(self._plans, plan, chain, ctx, body, asynchronous=False)
        return self._plans.services.drive(run.steps())

    async def awrap(self, point: str, ctx: HookContext, call: Callable[[Any], Any]) -> Any:
        """Run an operation inside the hooks of a wrap point, awaiting what is async."""
        plans = self._plans
        plan = plans.wrap(point)
        chain = None if plan is None else plan.chain or plans.resolve(plan, ctx)
        if plan is None or chain is None:
            result = call(ctx.payload)
            return await result if hasattr(result, "__await__") else result
        if are_awaited(plans, chain):
            return await AsyncPlainWraps(plans, plan, chain, ctx, call).aresult()

        def body(payload: Any) -> Steps:
            result = call(payload)
            if hasattr(result, "__await__"):
                result = yield AwaitBody(result)
            return result

        run = WrappedCall(plans, plan, chain, ctx, body, asynchronous=True)
        return await adrive(run.steps())

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
        return streams.WrappedStream(self._plans, plan, chain, ctx, call).stream()
