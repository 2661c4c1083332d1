"""Wrap points around operations that stream: layers of async iterators."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import aclosing
from typing import Any

from hookcore_specs import HookContext
from hookcore_specs._runtime import HOOK

from ..dispatch.answers import log_failure
from ..dispatch.carrying import UNSET, StartedIn, source_of, stepped
from ..dispatch.copying import Snapshot, copy_payload
from ..dispatch.plan import Chain, Plan
from ..dispatch.plans import Plans
from ..errors import describe_failure
from ..hooks.hook import Hook
from ..waiting.requests import adrive
from ..wraps.onion import HookLayer, Onion, answered
from ..wraps.wrapped import advanced, use_yield

__all__ = ["WrappedStream"]


class WrappedStream(Onion):
    """One run of a streaming operation through the hooks of a wrap point.

    It has to be made where the stream is started; it may be consumed anywhere.
    """

    def __init__(
        self,
        plans: Plans,
        plan: Plan,
        chain: Chain,
        ctx: HookContext,
        call: Callable[[Any], Any],
    ) -> None:
        super().__init__(plans, plan, chain, ctx, call)
        self._started_in = StartedIn(plans.scopes)

    async def stream(self) -> AsyncGenerator[Any, None]:
        """Yield the events as the outermost hook lets them through."""
        self.ctx.point = self.plan.label
        stopped_by: BaseException | None = None
        try:
            async with aclosing(self.layer(0, self._started_in)) as events:
                async for event in events:
                    yield event
        except BaseException as error:
            stopped_by = error
            raise
        finally:
            await self._started_in.step(lambda: adrive(self.finish(stopped_by, waits=True)))

    def layer(self, index: int, started_in: StartedIn) -> AsyncGenerator[Any, None]:
        """Return the events of the layers from ``index`` inwards, which start in ``started_in``."""
        if index == len(self.hooks):
            return stepped(started_in.fork(), lambda: source_of(self.call(self.ctx.payload)))
        hook = self.hooks[index]
        layer = self.made(lambda: StreamLayer(self, hook, index, started_in), hook)
        return self.layer(index + 1, started_in) if layer is None else layer.events()


class StreamLayer(HookLayer):
    """One hook around the streams inside it."""

    def __init__(self, run: WrappedStream, hook: Hook, index: int, started_in: StartedIn) -> None:
        super().__init__(run, hook)
        self._index = index
        self._outside = started_in
        self._frame = run.frame(hook)
        self._started_in = started_in.fork(self._frame)
        self._inside: AsyncGenerator[Any, None] | None = None
        self._given: list[AsyncGenerator[Any, None]] = []
        #: What came from inside since the hook last let something through: after a failure it
        #: still has to pass.
        self._held: deque[Any] = deque()
        #: What a monitored hook was given of it: copies.
        self._shown: deque[Any] = deque()
        self._altered = False
        self._exhausted = False
        self._is_over = False

    async def events(self) -> AsyncGenerator[Any, None]:
        """Yield what the hook makes of the inner events."""
        leaving = False
        goes_on = self.hook.monitor
        try:
            try:
                async with aclosing(self._stream()) as events:
                    async for event in events:
                        try:
                            yield event
                        except GeneratorExit:
                            leaving = True
                            raise
                if self.inner.signal is not None:
                    raise self.inner.signal  # noqa: TRY301 - it goes on, whatever the hook made of it
                self.done(changed=self._changed_events() or self.changed(UNSET))
            except BaseException as error:  # noqa: BLE001 - raised again unless it is the hook's
                if leaving and not self.run.passes(error):
                    self._failed_at_the_end(error)
                    return
                self.refuse(error)
                goes_on = True
            if goes_on:
                async for event in self._rest():
                    yield event
        finally:
            self._is_over = True
            self.run.ctx.payload = self.payload
            for stream in self._given:
                await stream.aclose()
            if self._inside is not None:
                await self._inside.aclose()
            self._frame[HOOK] = None  # it may have left tasks behind

    def stands(self) -> bool:
        """Tell whether the stream amounts to something without the hook: what is left of it."""
        streaming = self._inside is not None and self.inner.error is None
        return streaming or super().stands()

    def _failed_at_the_end(self, error: BaseException) -> None:
        hook, records = self.hook, self.run.records
        effect = None if hook.monitor else "ignored"
        failure = describe_failure(error)
        records.note(hook, "error", self.started, failure=failure, effect=effect)
        log_failure(hook, error, "the stream was being closed")

    def _changed_events(self) -> bool:
        left = self._shown if self.hook.monitor else self._held
        return self._altered or bool(left) or not self._exhausted

    async def _rest(self) -> AsyncGenerator[Any, None]:
        """Yield what is left of the inner stream when the hook is out of it."""
        while self._held:
            yield self._held.popleft()
        if self.inner.error is not None:
            raise self.inner.error
        if self._inside is None:
            self.run.ctx.payload = self.payload
            self._inside = self.run.layer(self._index + 1, self._outside)
        async for event in self._inside:
            yield event

    def _stream(self) -> AsyncGenerator[Any, None]:
        return self._around_stream() if self.hook.form == "yield" else self._through_hook()

    async def _through_hook(self) -> AsyncGenerator[Any, None]:
        """Yield what an async hook yields, or what the iterator yields that it returns."""
        async with aclosing(stepped(self._started_in, self._make)) as events:
            async for event in events:
                self._let_go(event)
                if not self.hook.monitor:
                    try:
                        yield event
                    except GeneratorExit:
                        await self._close_inside()
                        raise
                    continue
                # The real events pass as the hook consumes them; its own go nowhere.
                while self._held:
                    yield self._held.popleft()

    async def _close_inside(self) -> None:
        """End what is inside before the hook, since the reader has left."""
        if self._inside is not None:
            await self._inside.aclose()

    async def _make(self) -> AsyncIterator[Any]:
        made = self.hook.call(self.view, self._call_next)
        if self.hook.form == "stream":
            iterator: AsyncIterator[Any] = made
            return iterator
        return await source_of(answered(self.hook, await made))

    def _call_next(self, payload: Any = UNSET) -> Any:
        events = self._received(payload)
        # Only a hook that is no generator itself may await what it gets.
        return events if self.hook.form == "stream" else _NextStream(events)

    def _received(
        self, payload: Any, started_in: StartedIn | None = None
    ) -> AsyncGenerator[Any, None]:
        stream = self._receive(payload, started_in)
        self._given.append(stream)
        return stream

    async def _receive(
        self, payload: Any, started_in: StartedIn | None
    ) -> AsyncGenerator[Any, None]:
        """Yield the inner events to the hook, and keep them until it has let something through."""
        monitor = self.hook.monitor
        if self._is_over:
            raise RuntimeError(f"{self.hook.label} calls call_next() after its stream has ended")
        if self.inner.signal is not None:
            raise self.inner.signal
        if not (monitor and self._inside is not None):
            self.enter(payload)
            await self._open(started_in or StartedIn(self.run.plans.scopes, self.run.outer))
        inside: Any = self._inside
        while True:
            try:
                event = await anext(inside, UNSET)
            except BaseException as error:
                self.inner.fail(error, signal=self.run.is_signal(error))
                raise
            if event is UNSET:
                self._exhausted = True
                return
            self._held.append(event)
            shown = event
            if monitor:
                shown = copy_payload(event)
                self._shown.append((shown, Snapshot(event)))
            yield shown

    async def _open(self, started_in: StartedIn) -> None:
        self._held.clear()
        self._exhausted = False
        if self._inside is not None:
            await self._inside.aclose()
        self._inside = self.run.layer(self._index + 1, started_in)

    def _let_go(self, event: Any) -> None:
        """Note what the hook lets through, and that nothing before it is held any more."""
        if self.hook.monitor:
            shown, before = self._shown.popleft() if self._shown else (UNSET, None)
            kept = shown is event and not self._shown
            if not kept or before is None or (before.tells and not before.is_of(event)):
                self._altered = True
            self._shown.clear()
            return
        held = self._held
        if held and held[0] is event:
            held.popleft()
            return
        self._altered = True
        while held and held.popleft() is not event:
            pass

    async def _around_stream(self) -> AsyncGenerator[Any, None]:
        """Yield the inner events between the two parts of a generator with one yield."""
        generator = self.hook.call(self.view, use_yield)
        done, passed = await self._advance(generator)
        if done:
            if passed is None:
                raise RuntimeError(f"{self.hook.label} ended without a yield")
            value = answered(self.hook, passed)
            if not self.hook.monitor:
                async with aclosing(stepped(self._started_in, lambda: source_of(value))) as events:
                    async for event in events:
                        yield event
            return
        problem: BaseException | None = None
        try:
            given = UNSET if passed is None else answered(self.hook, passed)
            inner = self._received(given, self._started_in.fork(self.run.outer))
            async with aclosing(inner) as events:
                async for _ in events:
                    try:
                        yield self._held.popleft()
                    except GeneratorExit:
                        await self._close_inside()
                        raise
        except BaseException as error:  # noqa: BLE001 - the hook sees it, and passes it on
            problem = error
        self._shown.clear()
        await self._leave(generator, problem)
        if problem is not None:
            raise problem

    async def _leave(
        self, generator: Generator[Any, Any, Any], problem: BaseException | None
    ) -> None:
        try:
            done, value = await self._advance(generator, problem)
        except BaseException as error:
            if error is problem:
                return
            raise
        if not done:
            generator.close()
            raise RuntimeError(f"{self.hook.label} has a second yield")
        if value is not None:
            answered(self.hook, value)  # an abort still counts
            raise TypeError(
                f"{self.hook.label} stands around a stream, which has passed: it returns None"
            )

    async def _advance(
        self, generator: Generator[Any, Any, Any], problem: BaseException | None = None
    ) -> tuple[bool, Any]:
        async def advance() -> tuple[bool, Any]:
            return advanced(generator, None, problem)

        return await self._started_in.resume(advance)


class _NextStream(AsyncGenerator[Any, None]):
    """An async generator that may also be awaited first, as what a call that does not stream."""

    def __init__(self, events: AsyncGenerator[Any, None]) -> None:
        self._events = events

    async def asend(self, value: None) -> Any:
        """Go on to the next event."""
        return await self._events.asend(value)

    async def athrow(self, *args: Any) -> Any:
        """Raise an exception where the events come from."""
        return await self._events.athrow(*args)

    async def aclose(self) -> None:
        """End the events."""
        await self._events.aclose()

    def __await__(self) -> Generator[Any, None, AsyncIterator[Any]]:
        return self._opened().__await__()

    async def _opened(self) -> AsyncIterator[Any]:
        return self._events
