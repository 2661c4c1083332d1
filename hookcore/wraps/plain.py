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
from .generators import use_yield
from .onion import answered, checked_result
from .wrapped import CallLayer, WrappedCall

__all__ = ["Ended", "PlainWraps", "are_plain", "failed_inside", "resumed"]

Ended = tuple["Callable[[CallLayer], Any] | None", Any]
"""The end of a hook's part: what its layer has to do about it, or None and the result."""

_set, _reset = ACTIVE.set, ACTIVE.reset


def are_plain(plans: Plans, chain: Chain) -> bool:
    """Return whether a chain of wraps can go the quick way, here and now."""
    return chain.is_yielding and plans.is_unwatched and ACTIVE.get() is None


class PlainWraps:
    """One run of a plain operation through hooks that are plain generators.

    Args:
        plans: the plans in force.
        plan: the plan of the point.
        chain: the hooks for the context's agent.
        ctx: the context; its payload is the request.
        call: the operation.
    """

    __slots__ = ("_chain", "_plan", "_plans", "_states", "call", "ctx", "hooks", "services")

    def __init__(
        self, plans: Plans, plan: Plan, chain: Chain, ctx: HookContext, call: Callable[[Any], Any]
    ) -> None:
        self.services = plans.services
        self.ctx = ctx
        self.call = call
        self.hooks = chain.hooks
        self._plans = plans
        self._plan = plan
        self._chain = chain
        self._states: Any = None

    def result(self) -> Any:
        """Run the layers and the operation; return the result."""
        self.ctx.point = self._plan.label
        return self._layer(0)

    def _layer(self, index: int) -> Any:
        ctx = self.ctx
        if index == len(self.hooks):
            return self.call(ctx.payload)
        hook, payload = self.hooks[index], ctx.payload
        end, generator, passed = self.begun(hook)
        if end is None:
            end, result = self._inward(index, generator, passed)
        if end is None:
            end, result = self.ended(hook, generator, result)
        if end is not None:
            layer = self.layer_of(index, payload, self._body, asynchronous=False)
            return self.services.drive(layer.steps(resumed(end, layer)))
        ctx.payload = payload
        return result

    def enter(self, hook: Hook) -> Frame:
        """Return a frame in which ``hook`` is running."""
        return [None, hook, self.services, self._states, hook]

    def over(self, frame: Frame) -> None:
        """Note that the hook of a frame has ended, or waits at its yield."""
        frame[1] = None
        self._states = frame[3]

    def begun(self, hook: Hook) -> tuple[Any, Any, Any]:
        """Call a generator function up to its yield; return its end, itself and what it passes."""
        generator = None
        frame = self.enter(hook)
        token = _set(frame)
        try:
            generator = hook.call(self.ctx, use_yield)
            return None, generator, generator.send(None)
        except StopIteration as stop:
            return partial(_ended_early, stop.value), None, None
        except BaseException as error:  # noqa: BLE001 - the layer raises it, or goes on
            return partial(_raised, error), None, None
        finally:
            self.over(frame)
            _reset(token)

    def _inward(self, index: int, generator: Any, passed: Any) -> Ended:
        ctx = self.ctx
        bound = ctx.payload
        sent: Any = UNSET
        try:
            if passed is not None:
                ctx.payload = answered(self.hooks[index], passed)
            sent = ctx.payload
            return None, self._layer(index + 1)
        except BaseException as error:  # noqa: BLE001 - the hook sees it, and passes it on
            return partial(failed_inside, generator, sent, error), None
        finally:
            ctx.payload = bound

    def ended(self, hook: Hook, generator: Any, result: Any) -> Ended:
        """Let a generator end, and return its result, or the inner one."""
        frame = self.enter(hook)
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
            self.over(frame)
            _reset(token)
        if value is None:
            return None, result
        try:
            return None, checked_result(hook, value)
        except Exception as error:  # noqa: BLE001 - the same
            return partial(_failed_outside, result, error), None

    def layer_of(
        self, index: int, payload: Any, body: Callable[[Any], Steps], *, asynchronous: bool
    ) -> CallLayer:
        """Return the layer that takes over from a hook, with all rules.

        Args:
            index: the hook's.
            payload: what the hook was given.
            body: the operation, as steps.
            asynchronous: whether the host awaits.
        """
        ctx = self.ctx
        run = WrappedCall(
            self._plans, self._plan, self._chain, ctx, body, asynchronous=asynchronous
        )
        if self._states is not None:
            run.states = self._states
        bound, ctx.payload = ctx.payload, payload
        layer = CallLayer(run, self.hooks[index], index)
        ctx.payload = bound
        return layer

    def _body(self, payload: Any) -> Steps:
        return self.call(payload)
        yield  # a generator all the same


def resumed(end: Callable[[CallLayer], Any], layer: CallLayer) -> Steps:
    """Return the steps of a hook that came to ``end`` already."""
    return end(layer)
    yield  # a generator all the same


def _raised(error: BaseException, _layer: CallLayer) -> Any:
    """End with what a hook raised before it called the operation."""
    raise error


def failed_inside(generator: Any, sent: Any, error: BaseException, layer: CallLayer) -> Any:
    """End with what the generator makes of an error of the operation, or of what it passed on."""
    if sent is not UNSET:
        layer.inner.called, layer.inner.sent = True, sent
        layer.inner.fail(error, signal=layer.run.is_signal(error))
    return layer.after_yield(generator, None, error)


def _ended_early(value: Any, layer: CallLayer) -> Any:
    return layer.short_circuit(value)


def _failed_outside(result: Any, error: BaseException, layer: CallLayer) -> Any:
    _note_result(result, layer)
    raise error


def _second_yield(generator: Any, result: Any, layer: CallLayer) -> Any:
    _note_result(result, layer)
    layer.refuse_second_yield(generator)


def _note_result(result: Any, layer: CallLayer) -> None:
    layer.inner.called, layer.inner.result, layer.inner.shown = True, result, result
