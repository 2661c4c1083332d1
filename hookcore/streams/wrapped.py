"""Wrap points around operations that stream: layers of async iterators."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator
from contextlib import aclosing
from typing import Any

from ..dispatch.carrying import UNSET, StartedIn
from ..dispatch.copying import Snapshot, copy_payload
from ..dispatch.stepping import source_of, stepped
from ..hooks.hook import Hook
from ..waiting.requests import adrive
from ..wraps.generators import advanced, use_yield
from ..wraps.onion import answered
from .layers import StreamHookLayer, StreamOnion

__all__ = ["WrappedStream"]


class WrappedStream(StreamOnion):
    """A run through layers of async iterators.

    ``call`` gives an async iterator of events, or a coroutine for one.
    """

    def stream(self) -> AsyncGenerator[Any, None]:
        """Return the events as the outermost hook lets them through."""
        self.ctx.point = self.plan.label
        outermost = self._made(0, self._started_in)
        if outermost is None:
            return self._told(self.layer(1, self._started_in))
        return outermost.events(self._end)

    async def _told(self, inside: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
        stopped_by: BaseException | None = None
        try:
            async with aclosing(inside) as events:
                async for event in events:
                    yield event
        except BaseException as error:
            stopped_by = error
            raise
        finally:
            await self._end(stopped_by)

    async def _end(self, stopped_by: BaseException | None) -> None:
        await self._started_in.step(lambda: adrive(self.finish(stopped_by, waits=True)))

    def layer(self, index: int, started_in: StartedIn) -> AsyncGenerator[Any, None]:
        """Return the events of the layers from ``index`` inwards, which start in ``started_in``."""
        if index == len(self.hooks):
            payload = self.ctx.payload
            opened = lambda: source_of(self.call(payload))  # noqa: E731
            return stepped(started_in.fork(), opened, **self._options)
        layer = self._made(index, started_in)
        return self.layer(index + 1, started_in) if layer is None else layer.events()

    def _made(self, index: int, started_in: StartedIn) -> StreamLayer | None:
        hook = self.hooks[index]
        return self.made(lambda: StreamLayer(self, hook, index, started_in), hook)


class StreamLayer(StreamHookLayer):
    """One hook around the streams inside it."""

    def __init__(self, run: WrappedStream, hook: Hook, index: int, started_in: StartedIn) -> None:
        super().__init__(run, hook, index, started_in)
        self._given: list[AsyncGenerator[Any, None]] = []
        #: What came from inside since the hook last let something through: after a failure it
        #: still has to pass.
        self._held: deque[Any] = deque()
        #: What a monitored hook was given of it: copies.
        self._shown: deque[Any] = deque()
        self._altered = False

    async def events(
        self, end: Callable[[BaseException | None], Awaitable[object]] | None = None
    ) -> AsyncGenerator[Any, None]:
        """Yield what the hook makes of the inner events.

        Args:
            end: is awaited when all is over, with what it ends with.
        """
        stopped_by: BaseException | None = None
        leaving = False
        goes_on = self.hook.monitor
        try:
            try:
                async with aclosing(self._stream()) as events:
                    async for event in events:
                        try:
                            yield event
                        except GeneratorExit as left:
                            leaving, stopped_by = True, left
                            raise
                self.ended()
            except BaseException as error:  # noqa: BLE001 - raised again unless it is the hook's
                if leaving and not self.run.passes(error):
                    self.failed_at_the_end(error)
                    return
                self.refuse(error)
                goes_on = True
            if goes_on:
                async for event in self._rest():
                    yield event
        except BaseException as error:
            stopped_by = error
            raise
        finally:
            try:
                await self._close()
            finally:
                if end is not None:
                    await end(stopped_by)

    async def _close(self) -> None:
        self.over()
        for stream in self._given:
            await stream.aclose()
        if self._inside is not None:
            await self._inside.aclose()

    def changed_events(self) -> bool:
        """Return whether other events leave than those that came."""
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
        if self.hook.form == "yield":
            return self._around_stream()
        through = stepped(
            self._started_in, self._make, passing=self._let_go(), left=self._close_inside
        )
        return self._beside(through) if self.hook.monitor else through

    async def _beside(self, through: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
        """Yield the real events as a monitored hook consumes them; its own go nowhere."""
        async with aclosing(through) as events:
            async for _ in events:
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
        following, keep = self._inside.__anext__, self._held.append
        while True:
            try:
                event = await following()
            except StopAsyncIteration:
                self._exhausted = True
                return
            except BaseException as error:
                self.inner.fail(error, signal=self.run.is_signal(error))
                raise
            keep(event)
            if monitor:
                shown = copy_payload(event)
                self._shown.append((shown, Snapshot(event)))
                yield shown
            else:
                yield event

    async def _open(self, started_in: StartedIn) -> None:
        self._held.clear()
        self._exhausted = False
        if self._inside is not None:
            await self._inside.aclose()
        self._inside = self.run.layer(self._index + 1, started_in)

    def _let_go(self) -> Callable[[Any], None]:
        """Return what notes an event that the hook lets through: nothing before it is held."""
        held = self._held
        let_go = held.popleft

        def note(event: Any) -> None:
            if held and held[0] is event:
                let_go()
                return
            self._altered = True
            while held and let_go() is not event:
                pass

        return self._note_shown if self.hook.monitor else note

    def _note_shown(self, event: Any) -> None:
        shown, before = self._shown.popleft() if self._shown else (UNSET, None)
        kept = shown is event and not self._shown
        if not kept or before is None or (before.tells and not before.is_of(event)):
            self._altered = True
        self._shown.clear()

    async def _around_stream(self) -> AsyncGenerator[Any, None]:
        """Yield the inner events between the two parts of a generator with one yield."""
        generator = self.hook.call(self.view, use_yield)
        done, passed = await self._advance(generator)
        if done:
            value = self.short_circuit(passed)
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
            left = await self._advance(generator, problem)
        except BaseException as error:
            if error is not problem:
                raise
        else:
            self.check_end(generator, left)

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
