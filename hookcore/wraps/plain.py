"""The quick way through wraps that are plain generators, around a plain call, with nobody watching.

It does what :class:`~.wrapped.WrappedCall` does as long as nothing is raised, without its records
and steps; whatever else happens is handed to that, at the place where it happened.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from hookcore_specs import HookContext
from hookcore_specs._runtime import ACTIVE, Frame

from ..dispatch.carrying import UNSET
from ..dispatch.plan import Chain, Plan
from ..dispatch.plans import Plans
from ..hooks.hook import Hook
from ..waiting.requests import Steps
from .onion import answered, checked_result
from .wrapped import CallLayer, WrappedCall, use_yield

__all__ = ["PlainWraps", "are_plain"]

_set, _reset = ACTIVE.set, ACTIVE.reset


def are_plain(plans: Plans, chain: Chain) -> bool:
    """Return whether a chain of wraps can go the quick way, here and now."""
    return (
        plans.is_unwatched
        and ACTIVE.get() is None
        and all(hook.form == "yield" and not hook.monitor for hook in chain.hooks)
    )


class PlainWraps:
    """One run of a plain operation through hooks that are plain generators.

    Args:
        plans: the plans in force.
        plan: the plan of the point.
        chain: the hooks for the context's agent.
        ctx: the context; its payload is the request.
        call: the operation.
    """

    __slots__ = ("_call", "_chain", "_ctx", "_hooks", "_plan", "_plans", "_states")

    def __init__(
        self, plans: Plans, plan: Plan, chain: Chain, ctx: HookContext, call: Callable[[Any], Any]
    ) -> None:
        self._plans = plans
        self._plan = plan
        self._chain = chain
        self._ctx = ctx
        self._call = call
        self._hooks = chain.hooks
        self._states: Any = None

    def result(self) -> Any:
        """Run the layers and the operation; return the result."""
        self._ctx.point = self._plan.label
        return self._layer(0)

    def _layer(self, index: int) -> Any:
        ctx = self._ctx
        if index == len(self._hooks):
            return self._call(ctx.payload)
        hook, payload = self._hooks[index], ctx.payload
        end: _End | None = None
        frame = self._enter(hook)
        token = _set(frame)
        try:
            generator = hook.call(ctx, use_yield)
            passed = generator.send(None)
        except StopIteration as stop:
            end = partial(_ended_early, stop.value)
        except BaseException as error:  # noqa: BLE001 - the layer raises it, or goes on
            end = partial(_raised, error)
        finally:
            frame[1] = None
            self._states = frame[3]
            _reset(token)
        if end is None:
            end, result = self._inward(index, generator, passed)
        if end is None:
            end, result = self._outward(hook, generator, result)
        if end is not None:
            return self._slowly(index, payload, end)
        ctx.payload = payload
        return result

    def _enter(self, hook: Hook) -> Frame:
        return [None, hook, self._plans.services, self._states, hook]

    def _inward(self, index: int, generator: Any, passed: Any) -> tuple[_End | None, Any]:
        """Run the layers inside, with the payload that a hook passes on."""
        ctx = self._ctx
        bound = ctx.payload
        sent: Any = UNSET
        try:
            if passed is not None:
                ctx.payload = answered(self._hooks[index], passed)
            sent = ctx.payload
            return None, self._layer(index + 1)
        except BaseException as error:  # noqa: BLE001 - the hook sees it, and passes it on
            return partial(_failed_inside, generator, sent, error), None
        finally:
            ctx.payload = bound

    def _outward(self, hook: Hook, generator: Any, result: Any) -> tuple[_End | None, Any]:
        """Let a hook end, and return its result."""
        frame = self._enter(hook)
        token = _set(frame)
        try:
            generator.send(result)
        except StopIteration as stop:
            value = stop.value
        except BaseException as error:  # noqa: BLE001 - the layer raises it, or ignores it
            return partial(_failed_outside, result, error), None
        else:
            return partial(_second_yield, generator, result), None
        finally:
            frame[1] = None
            self._states = frame[3]
            _reset(token)
        if value is None:
            return None, result
        try:
            return None, checked_result(hook, value)
        except Exception as error:  # noqa: BLE001 - the same
            return partial(_failed_outside, result, error), None

    def _slowly(self, index: int, payload: Any, end: _End) -> Any:
        """Hand the layer from ``index`` inwards to what knows all rules."""
        ctx, services = self._ctx, self._plans.services
        run = WrappedCall(self._plans, self._plan, self._chain, ctx, self._body, asynchronous=False)
        if self._states is not None:
            run.states = self._states
        bound, ctx.payload = ctx.payload, payload
        layer = CallLayer(run, self._hooks[index], index)
        ctx.payload = bound
        return services.drive(layer.steps(_steps(end, layer)))

    def _body(self, payload: Any) -> Steps:
        return self._call(payload)
        yield  # a generator all the same


_End = Callable[[CallLayer], Any]
"""The end that a hook came to, for its layer: it returns the hook's result, or raises."""


def _steps(end: _End, layer: CallLayer) -> Steps:
    return end(layer)
    yield  # a generator all the same


def _ended_early(value: Any, layer: CallLayer) -> Any:
    return layer.short_circuit(value)


def _raised(error: BaseException, _layer: CallLayer) -> Any:
    raise error


def _failed_inside(generator: Any, sent: Any, error: BaseException, layer: CallLayer) -> Any:
    if sent is not UNSET:
        layer.inner.called, layer.inner.sent = True, sent
        layer.inner.fail(error, signal=layer.run.is_signal(error))
    return layer.after_yield(generator, None, error)


def _failed_outside(result: Any, error: BaseException, layer: CallLayer) -> Any:
    _note_result(result, layer)
    raise error


def _second_yield(generator: Any, result: Any, layer: CallLayer) -> Any:
    _note_result(result, layer)
    layer.refuse_second_yield(generator)


def _note_result(result: Any, layer: CallLayer) -> None:
    layer.inner.called, layer.inner.result, layer.inner.shown = True, result, result
