"""Wrap points around operations with one result: layers, the first hook's outermost."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from inspect import isawaitable
from typing import Any, NoReturn

from hookcore_specs import HookContext
from hookcore_specs._runtime import ACTIVE, HOOK, leave

from ..dispatch.carrying import UNSET
from ..dispatch.copying import Snapshot, copy_payload
from ..dispatch.plan import Chain, Plan
from ..dispatch.plans import Plans
from ..hooks.hook import Hook
from ..later import asyncio
from ..waiting.requests import AwaitBody, AwaitHook, Steps, adrive, cancellations
from .ending import ask_to_end, cancelled
from .generators import advanced, refuse_async, use_yield
from .onion import HookLayer, Onion, answered, checked_result

__all__ = ["CallLayer", "WrappedCall"]


class WrappedCall(Onion):
    """One run of an operation through the hooks of a wrap point, as steps."""

    def __init__(
        self,
        plans: Plans,
        plan: Plan,
        chain: Chain,
        ctx: HookContext,
        call: Callable[[Any], Steps],
        *,
        asynchronous: bool,
    ) -> None:
        super().__init__(plans, plan, chain, ctx, call)
        if not asynchronous:
            refuse_async(self.hooks)

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

    def layer(self, index: int) -> Steps:
        """Run the layers from ``index`` inwards; return the result."""
        if index == len(self.hooks):
            return (yield from self.call(self.ctx.payload))
        hook = self.hooks[index]
        layer = self.made(lambda: CallLayer(self, hook, index), hook)
        return (yield from self.layer(index + 1) if layer is None else layer.steps())


class CallLayer(HookLayer):
    """One hook around the layers inside it, as steps."""

    def __init__(self, run: WrappedCall, hook: Hook, index: int) -> None:
        super().__init__(run, hook)
        self._index = index
        self._is_over = False
        #: The tasks that the hook runs the operation in, other than its own.
        self._beside_it: set[asyncio.Task[Any]] = set()

    def steps(self, asked: Steps | None = None) -> Steps:
        """Run the hook; return its result, or the inner one where the hook failed.

        Args:
            asked: the steps of a hook that has begun already; None to begin.
        """
        applied, result = not self.hook.monitor, UNSET
        try:
            try:
                result = yield from self._asked(asked)
                if self.inner.signal is not None:
                    raise self.inner.signal  # noqa: TRY301 - it goes on, whatever the hook made of it
                self.done(changed=self.changed(result))
            except BaseException as error:  # noqa: BLE001 - raised again unless it is the hook's
                # What an aborting or failing hook leaves undone must be done under "allow".
                self.refuse(error)
                applied = False
            if applied and result is not UNSET:
                return result
            if self.inner.called:
                return self.inner.outcome()
            self.run.ctx.payload = self.payload
            return (yield from self.run.layer(self._index + 1))
        finally:
            self.run.ctx.payload = self.payload

    def _asked(self, asked: Steps | None) -> Steps:
        if asked is not None:
            result = yield from asked
        elif self.hook.form == "yield":
            result = yield from self._around_yield()
        else:
            result = yield from self._awaited()
        if result is UNSET and not self.inner.called:
            raise RuntimeError(f"{self.hook.label} ended without calling the operation")
        return result

    def _inward(self, payload: Any) -> Steps:
        inner, ctx = self.inner, self.run.ctx
        self._refuse_late()
        if inner.signal is not None:
            raise inner.signal
        before = ctx.payload
        self.enter(payload)
        token = ACTIVE.set(self.run.outer)
        try:
            inner.result = yield from self.run.layer(self._index + 1)
        except BaseException as error:
            inner.fail(error, signal=self.run.is_signal(error))
            raise
        finally:
            leave(token)
            ctx.payload = before
        inner.snapshot = Snapshot(inner.result) if self.tracked else None
        return self._shown_again()

    def _refuse_late(self) -> None:
        if self._is_over:
            raise RuntimeError(f"{self.hook.label} calls call_next() after its call has ended")

    def _shown_again(self) -> Any:
        # A monitored hook must not reach the real result through what it is given.
        result = self.inner.outcome()
        self.inner.shown = copy_payload(result) if self.hook.monitor else result
        return self.inner.shown

    def _around_yield(self) -> Steps:
        generator = self.hook.call(self.view, use_yield)
        done, passed = self._on(lambda: advanced(generator, None))
        if done:
            return self.short_circuit(passed)
        problem: BaseException | None = None
        result: Any = None
        try:
            given = UNSET if passed is None else answered(self.hook, passed)
            result = yield from self._inward(given)
        except BaseException as error:  # noqa: BLE001 - the hook sees it, and passes it on
            problem = error
        return self.after_yield(generator, result, problem)

    def short_circuit(self, value: Any) -> Any:
        """Return the result of a generator that ended before its yield: nothing inside ran."""
        return UNSET if value is None else checked_result(self.hook, value)

    def after_yield(self, generator: Any, result: Any, problem: BaseException | None) -> Any:
        """Let a generator end, and return its result.

        Args:
            generator: the hook's generator, at its yield.
            result: what the operation returned.
            problem: what the operation raised.
        """
        done, value = self._on(lambda: advanced(generator, result, problem))
        if not done:
            self.refuse_second_yield(generator)
        if problem is not None and self.run.passes(problem):
            raise problem
        if value is None and problem is None:
            return UNSET
        return checked_result(self.hook, value)

    def refuse_second_yield(self, generator: Any) -> NoReturn:
        """End a generator that yields again; that is a failure of its hook."""
        generator.close()
        raise RuntimeError(f"{self.hook.label} has a second yield")

    def _on(self, call: Callable[[], Any]) -> Any:
        frame = self.run.frame(self.hook)
        token = ACTIVE.set(frame)
        try:
            return call()
        finally:
            frame[HOOK] = None
            leave(token)

    def _awaited(self) -> Steps:
        frame = self.run.frame(self.hook)
        token = ACTIVE.set(frame)
        try:
            value = self._beside() if self.hook.monitor else self._called(self._call_next)
            while isawaitable(value):  # a hook may hand on what call_next() gave, unawaited
                value = yield AwaitHook(value, None)
            return checked_result(self.hook, value)
        except GeneratorExit:
            while self._beside_it:  # a generator that is being closed cannot wait
                ask_to_end(self._beside_it.pop())
            raise
        finally:
            self._is_over = True
            frame[HOOK] = None
            leave(token)
            if self._beside_it:
                yield AwaitBody(cancelled(self._beside_it))

    def _called(self, call_next: Callable[..., Any]) -> Any:
        self._task = asyncio.current_task()
        self._cancellations = cancellations()
        if self.hook.form == "stream":
            return self._last_event(call_next)
        return self.hook.call(self.view, call_next)

    async def _call_next(self, payload: Any = UNSET) -> Any:
        task = asyncio.current_task()
        if task is None or task is self._task:
            if cancellations() > self._cancellations:
                raise asyncio.CancelledError  # the hook has swallowed it: the caller has given up
            return await adrive(self._inward(payload))
        self._beside_it.add(task)
        try:
            return await adrive(self._inward(payload))
        finally:
            self._beside_it.discard(task)

    async def _beside(self) -> Any:
        """Run a monitored hook in a task of its own: when it gives up, the operation does not."""
        asked: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        over = asyncio.Event()

        async def call_next(payload: Any = UNSET) -> Any:
            self._refuse_late()
            if not asked.done():
                asked.set_result(payload)
            await over.wait()
            return self._shown_again()

        task = asyncio.ensure_future(self._called(call_next))
        try:
            await asyncio.wait({task, asked}, return_when=asyncio.FIRST_COMPLETED)
            if asked.done():
                with suppress(Exception):  # the hook sees it, and the host when the hook is done
                    await self._call_next(asked.result())
                over.set()
            return await task
        finally:
            task.cancel()
            over.set()

    async def _last_event(self, inward: Callable[[Any], Any]) -> Any:
        """Run a streaming hook around a call that does not stream: the result is one event."""
        last: Any = UNSET
        made: list[AsyncGenerator[Any, None]] = []

        async def one_event(payload: Any) -> AsyncGenerator[Any, None]:
            yield await inward(payload)

        def call_next(payload: Any = UNSET) -> AsyncGenerator[Any, None]:
            made.append(one_event(payload))
            return made[-1]

        try:
            async with aclosing(self.hook.call(self.view, call_next)) as events:
                async for event in events:
                    last = event
        finally:
            for stream in made:
                await stream.aclose()
        return last
