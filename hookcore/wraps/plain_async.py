"""The quick way of async hosts through wraps that are no streams, with nobody watching.

Like :mod:`.plain`, it does what :class:`~.wrapped.WrappedCall` does as long as nothing is raised.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable, Coroutine
from functools import partial
from inspect import isawaitable
from threading import get_ident
from typing import Any

from hookcore_specs._runtime import ACTIVE, HOOK, Frame, leave

from ..dispatch.carrying import UNSET
from ..dispatch.plan import Chain
from ..dispatch.plans import Plans
from ..dispatch.states import States
from ..later import asyncio
from ..waiting.begun import TASKS_MAY_BEGIN_INSIDE, TaskWatch, rest_of, running_task
from ..waiting.requests import AwaitBody, Steps, adrive
from .ending import ask_to_end, cancelled
from .onion import RESULTS, InnerCall, answered, checked_result, is_signal
from .plain import Ended, PlainWraps, failed_inside, resumed
from .wrapped import CallLayer

__all__ = ["AsyncPlainWraps", "are_awaited"]

_set = ACTIVE.set
_other_threads = _thread._count


def are_awaited(plans: Plans, chain: Chain) -> bool:
    """Return whether an async host's chain of wraps can go the quick way, here and now."""
    return chain.is_whole and plans.is_unwatched and ACTIVE.get() is None


class AsyncPlainWraps(PlainWraps):
    """One run of an operation through coroutine functions and plain generators."""

    __slots__ = ("thread",)

    async def aresult(self) -> Any:
        """Run the layers and the operation; return the result.

        They are begun by hand: nothing has been cancelled before something waits.
        """
        self.ctx.point = self._plan.label
        self._states = States()  # a hook's frame is made before the hooks inside ask for it
        #: The thread that it runs in: a hook may call its operation from another one.
        self.thread = get_ident()
        watch = [TaskWatch()] if TASKS_MAY_BEGIN_INSIDE else []
        begun = self.layer_at(0, watch)
        try:
            waits_for = begun.send(None)
        except StopIteration as stop:
            return stop.value
        if not watch:
            watch.append(TaskWatch())
        return await rest_of(begun, waits_for)

    def layer_at(self, index: int, watch: list[TaskWatch]) -> Coroutine[Any, Any, Any]:
        """Return the coroutine of the layers from ``index`` inwards.

        Args:
            index: the outermost one's.
            watch: what watches the task that they run in; empty while none of them has waited.
        """
        if index == len(self.hooks):
            return self._operation()
        if self.hooks[index].form == "yield":
            return self._around_yield(index, watch)
        return self._awaited(index, watch)

    async def _operation(self) -> Any:
        result = self.call(self.ctx.payload)
        return await result if hasattr(result, "__await__") else result

    async def _around_yield(self, index: int, watch: list[TaskWatch]) -> Any:
        ctx, hook = self.ctx, self.hooks[index]
        payload = ctx.payload
        end, generator, passed = self.begun(hook)
        if end is None:
            end, result = await self._ainward(index, generator, passed, watch)
        if end is None:
            end, result = self.ended(hook, generator, result)
        if end is not None:
            return await self._taken_over(index, payload, end)
        ctx.payload = payload
        return result

    async def _ainward(
        self, index: int, generator: Any, passed: Any, watch: list[TaskWatch]
    ) -> Ended:
        ctx = self.ctx
        bound = ctx.payload
        sent: Any = UNSET
        try:
            if passed is not None:
                ctx.payload = answered(self.hooks[index], passed)
            sent = ctx.payload
            return None, await self.layer_at(index + 1, watch)
        except BaseException as error:  # noqa: BLE001 - the hook sees it, and passes it on
            return partial(failed_inside, generator, sent, error), None
        finally:
            ctx.payload = bound

    async def _awaited(self, index: int, watch: list[TaskWatch]) -> Any:
        ctx, hook = self.ctx, self.hooks[index]
        payload = ctx.payload
        inner = _Inner(self, index, watch)
        end: Callable[[CallLayer], Any] | None = None
        frame: Frame = [None, hook, self.services, self._states, hook]
        token = _set(frame)
        try:
            value = hook.call(ctx, inner.call_next)
            # A hook may hand on what call_next() gave, unawaited.
            while type(value) not in RESULTS and isawaitable(value):
                value = await value
                if watch and watch[0].was_cancelled:
                    raise asyncio.CancelledError  # the hook has swallowed it  # noqa: TRY301
            result = checked_result(hook, value)
            if inner.signal is not None:
                end = partial(_came_to, inner, result)
        except GeneratorExit:
            while inner.beside:  # a coroutine that is being closed cannot wait
                ask_to_end(inner.beside.pop())
            raise
        except BaseException as error:  # noqa: BLE001 - the layer raises it, or goes on
            if watch and watch[0].was_cancelled and isinstance(error, Exception):
                cancellation = asyncio.CancelledError()
                cancellation.__cause__ = error
                error = cancellation
            end = partial(_failed, inner, error)
        finally:
            inner.is_over = True
            frame[HOOK] = None
            leave(token)
            if inner.beside:
                await cancelled(inner.beside)
        if end is not None:
            return await self._taken_over(index, payload, end)
        ctx.payload = payload
        return result

    async def _taken_over(self, index: int, payload: Any, end: Callable[[CallLayer], Any]) -> Any:
        layer = self.layer_of(index, payload, self._abody, asynchronous=True)
        return await adrive(layer.steps(resumed(end, layer)))

    def _abody(self, payload: Any) -> Steps:
        result = self.call(payload)
        if hasattr(result, "__await__"):
            result = yield AwaitBody(result)
        return result


class _Inner:
    """The layers inside an async hook, which it calls by ``call_next``.

    Args:
        run: the run.
        index: the hook's.
        watch: what watches the hook's task; empty while nothing in it has waited.
    """

    __slots__ = (
        "_error",
        "_index",
        "_result",
        "_run",
        "_sent",
        "_watch",
        "beside",
        "called",
        "is_over",
        "signal",
    )

    def __init__(self, run: AsyncPlainWraps, index: int, watch: list[TaskWatch]) -> None:
        self._run = run
        self._index = index
        self._watch = watch
        self.called = self.is_over = False
        #: A host's signal that the operation raised, which nobody may swallow.
        self.signal: BaseException | None = None
        #: The tasks that the hook runs the operation in, other than its own.
        self.beside: set[Any] | None = None

    async def call_next(  # noqa: C901 - flat: each call shows
        self, payload: Any = UNSET
    ) -> Any:
        """Run the operation; return its result."""
        run, watch = self._run, self._watch
        elsewhere = None
        if watch:
            elsewhere = self._elsewhere(watch[0])
        elif _other_threads() and get_ident() != run.thread:
            elsewhere = running_task()
        if self.is_over:
            label = run.hooks[self._index].label
            raise RuntimeError(f"{label} calls call_next() after its call has ended")
        if self.signal is not None:
            raise self.signal
        ctx = run.ctx
        bound = ctx.payload
        self.called, self._error, self._result = True, None, UNSET
        if payload is not UNSET:
            ctx.payload = payload
        self._sent = ctx.payload
        if elsewhere is not None:
            watch = [TaskWatch()]
            self.beside = self.beside or set()
            self.beside.add(elsewhere)
        token = _set(None)
        try:
            self._result = result = await run.layer_at(self._index + 1, watch)
        except BaseException as error:
            self._error = error
            if is_signal(run.services, error):
                self.signal = error
            raise
        else:
            return result
        finally:
            if elsewhere is not None and self.beside is not None:
                self.beside.discard(elsewhere)
            leave(token)
            ctx.payload = bound

    @staticmethod
    def _elsewhere(watch: TaskWatch) -> asyncio.Task[Any] | None:
        """Return the running task where that is not the hook's own."""
        task = running_task()
        if task is not None and task is not watch.task:
            return task
        if watch.was_cancelled:
            raise asyncio.CancelledError  # the hook has swallowed it
        return None

    def told(self) -> InnerCall:
        """Return what has become of the call, in the words of the engine's layers."""
        inner = InnerCall()
        if self.called:
            inner.called, inner.sent, inner.signal = True, self._sent, self.signal
            inner.error, inner.result = self._error, self._result
            inner.shown = self._result
        return inner


def _failed(inner: _Inner, error: BaseException, layer: CallLayer) -> Any:
    layer.inner = inner.told()
    raise error


def _came_to(inner: _Inner, result: Any, layer: CallLayer) -> Any:
    layer.inner = inner.told()
    return result
