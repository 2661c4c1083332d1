"""The quick way of async hosts through wraps that are no streams, with nobody watching.

Like :mod:`.plain`, it does what :class:`~.wrapped.WrappedCall` does as long as nothing is raised.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import isawaitable
from typing import Any

from hookcore_specs._runtime import ACTIVE, leave

from ..dispatch.carrying import UNSET
from ..dispatch.plan import Chain
from ..dispatch.plans import Plans
from ..dispatch.states import States
from ..later import asyncio
from ..waiting.requests import AwaitBody, Steps, adrive
from .onion import InnerCall, answered, checked_result, is_signal
from .plain import Ended, PlainWraps, failed_inside, resumed
from .wrapped import CallLayer, cancelled

__all__ = ["AsyncPlainWraps", "are_awaited"]

_set = ACTIVE.set


def are_awaited(plans: Plans, chain: Chain) -> bool:
    """Return whether an async host's chain of wraps can go the quick way, here and now."""
    return chain.is_whole and plans.is_unwatched and ACTIVE.get() is None


class AsyncPlainWraps(PlainWraps):
    """One run of an operation through coroutine functions and plain generators."""

    async def aresult(self) -> Any:
        """Run the layers and the operation; return the result."""
        self.ctx.point = self._plan.label
        self._states = States()  # a hook's frame is made before the hooks inside ask for it
        return await self.alayer(0)

    async def alayer(self, index: int) -> Any:
        """Run the layers from ``index`` inwards; return the result."""
        ctx = self.ctx
        if index == len(self.hooks):
            result = self.call(ctx.payload)
            return await result if hasattr(result, "__await__") else result
        payload = ctx.payload
        around = self._around_yield if self.hooks[index].form == "yield" else self._awaited
        end, result = await around(index)
        if end is not None:
            layer = self.layer_of(index, payload, self._abody, asynchronous=True)
            return await adrive(layer.steps(resumed(end, layer)))
        ctx.payload = payload
        return result

    async def _around_yield(self, index: int) -> Ended:
        hook = self.hooks[index]
        end, generator, passed = self.begun(hook)
        if end is None:
            end, result = await self._ainward(index, generator, passed)
        return (end, None) if end is not None else self.ended(hook, generator, result)

    async def _ainward(self, index: int, generator: Any, passed: Any) -> Ended:
        ctx = self.ctx
        bound = ctx.payload
        sent: Any = UNSET
        try:
            if passed is not None:
                ctx.payload = answered(self.hooks[index], passed)
            sent = ctx.payload
            return None, await self.alayer(index + 1)
        except BaseException as error:  # noqa: BLE001 - the hook sees it, and passes it on
            return partial(failed_inside, generator, sent, error), None
        finally:
            ctx.payload = bound

    async def _awaited(self, index: int) -> Ended:
        hook = self.hooks[index]
        inner = _Inner(self, index)
        frame = self.enter(hook)
        token = _set(frame)
        try:
            value = hook.call(self.ctx, inner.call_next)
            while isawaitable(value):  # a hook may hand on what call_next() gave, unawaited
                value = await value
                if inner.was_cancelled():
                    raise asyncio.CancelledError  # the hook has swallowed it  # noqa: TRY301
            result = checked_result(hook, value)
        except GeneratorExit:
            while inner.beside:  # a coroutine that is being closed cannot wait
                inner.beside.pop().cancel()
            raise
        except BaseException as error:  # noqa: BLE001 - the layer raises it, or goes on
            if isinstance(error, Exception) and inner.was_cancelled():
                cancellation = asyncio.CancelledError()
                cancellation.__cause__ = error
                error = cancellation
            return partial(_failed, inner, error), None
        else:
            return None if inner.signal is None else partial(_came_to, inner, result), result
        finally:
            inner.is_over = True
            self.over(frame)
            leave(token)
            if inner.beside:
                await cancelled(inner.beside)

    def _abody(self, payload: Any) -> Steps:
        result = self.call(payload)
        if hasattr(result, "__await__"):
            result = yield AwaitBody(result)
        return result


class _Inner(InnerCall):
    """The layers inside an async hook, which it calls by ``call_next``."""

    __slots__ = ("_asked", "_cancelling", "_index", "_run", "_task", "beside", "is_over")

    def __init__(self, run: AsyncPlainWraps, index: int) -> None:
        super().__init__()
        self._run = run
        self._index = index
        self._task = _current_task()
        #: Tells how often the task was cancelled; nothing does before Python 3.11.
        self._cancelling: Callable[[], int] | None = getattr(self._task, "cancelling", None)
        self._asked = 0 if self._cancelling is None else self._cancelling()
        self.is_over = False
        #: The tasks that the hook runs the operation in, other than its own.
        self.beside: set[Any] = set()

    def was_cancelled(self) -> bool:
        """Return whether the caller has given up since the hook began."""
        return self._cancelling is not None and self._cancelling() > self._asked

    async def call_next(self, payload: Any = UNSET) -> Any:
        """Run the operation; return its result."""
        run, task = self._run, _current_task()
        beside = task is not None and task is not self._task
        if not beside and self.was_cancelled():
            raise asyncio.CancelledError  # the hook has swallowed it
        if self.is_over:
            label = run.hooks[self._index].label
            raise RuntimeError(f"{label} calls call_next() after its call has ended")
        if self.signal is not None:
            raise self.signal
        ctx = run.ctx
        bound = ctx.payload
        self.called, self.error, self.result = True, None, UNSET
        if payload is not UNSET:
            ctx.payload = payload
        self.sent = ctx.payload
        token = _set(None)
        if beside:
            self.beside.add(task)
        try:
            self.result = self.shown = await run.alayer(self._index + 1)
        except BaseException as error:
            self.fail(error, signal=is_signal(run.services, error))
            raise
        else:
            return self.result
        finally:
            if beside:
                self.beside.discard(task)
            leave(token)
            ctx.payload = bound


def _current_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task(asyncio.get_running_loop())  # faster than to let it look
    except RuntimeError:  # a loop that is not asyncio's
        return None


def _failed(inner: _Inner, error: BaseException, layer: CallLayer) -> Any:
    layer.inner = inner
    raise error


def _came_to(inner: _Inner, result: Any, layer: CallLayer) -> Any:
    layer.inner = inner
    return result
