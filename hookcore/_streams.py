"""Wrap points around operations that stream: layers of async iterators."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import aclosing
from inspect import isasyncgenfunction, isawaitable, isgeneratorfunction
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookContext

from ._carry import Carried
from ._hook import Hook
from ._plan import Chain, Plan
from ._requests import adrive
from ._wraps import UNSET, Layer, WrapRun

if TYPE_CHECKING:
    from ._core import ManagerCore

__all__ = ["StreamRun", "closing", "source_of"]


async def source_of(value: Any) -> AsyncIterator[Any]:
    """Return the async iterator that a call gave, awaiting a coroutine for it first."""
    if isawaitable(value) and not hasattr(value, "__aiter__"):
        value = await value
    if not hasattr(value, "__aiter__"):
        raise TypeError(f"a stream is an async iterator, not {type(value).__name__}")
    iterator: AsyncIterator[Any] = value.__aiter__()
    return iterator


async def close(iterator: Any) -> None:
    """Close an async iterator that can be closed."""
    aclose = getattr(iterator, "aclose", None)
    if aclose is not None:
        await aclose()


class closing:  # noqa: N801 - used like contextlib.aclosing
    """Like :func:`contextlib.aclosing`, for iterators that may have no ``aclose``."""

    def __init__(self, iterator: AsyncIterator[Any]) -> None:
        self._iterator = iterator

    async def __aenter__(self) -> AsyncIterator[Any]:
        return self._iterator

    async def __aexit__(self, *_exc: object) -> None:
        await close(self._iterator)


class StreamRun(WrapRun):
    """One run of a streaming operation through the hooks of a wrap point."""

    def __init__(
        self,
        manager: ManagerCore,
        plan: Plan,
        chain: Chain,
        ctx: HookContext,
        call: Callable[[Any], Any],
    ) -> None:
        super().__init__(manager, plan, chain, ctx, call, asynchronous=True)
        self.carried = Carried(manager)

    async def stream(self) -> AsyncGenerator[Any, None]:
        """Yield the events as the outermost hook lets them through."""
        self.ctx.point = self.plan.label
        stopped_by: BaseException | None = None
        try:
            async with aclosing(self.stream_layer(0)) as events:
                async for event in events:
                    yield event
        except BaseException as error:
            stopped_by = error
            raise
        finally:
            await self.carried.step(lambda: adrive(self.finish(_told(stopped_by))))

    async def stream_layer(self, index: int) -> AsyncGenerator[Any, None]:
        """Yield the events of the layers from ``index`` inwards."""
        if index == len(self.hooks):
            async with closing(await self.carried.step(self._open)) as source:
                while (event := await self.carried.step(lambda: _next(source))) is not UNSET:
                    yield event
            return
        hook = self.hooks[index]
        if hook.original in self.running:
            self.account.skip(hook)
            layer = self.stream_layer(index + 1)
        else:
            layer = StreamLayer(self, hook, index).events()
        async with aclosing(layer) as events:
            async for event in events:
                yield event

    async def _open(self) -> AsyncIterator[Any]:
        return await source_of(self.call(self.ctx.payload))


def _told(error: BaseException | None) -> BaseException | None:
    # A closed generator may still wait in its finally block, unlike the engine's own steps.
    return None if isinstance(error, GeneratorExit) else error


async def _next(iterator: AsyncIterator[Any]) -> Any:
    return await anext(iterator, UNSET)


class StreamLayer(Layer):
    """One hook around the streams inside it."""

    run: StreamRun

    def __init__(self, run: StreamRun, hook: Hook, index: int) -> None:
        super().__init__(run, hook, index)
        self._inside: Any = None
        #: What came from inside since the hook last let something through: after a failure it
        #: still has to pass.
        self._held: deque[Any] = deque()
        self._altered = False

    async def events(self) -> AsyncGenerator[Any, None]:
        """Yield what the hook makes of the inner events."""
        try:
            async with aclosing(self._events()) as events:
                async for event in events:
                    yield event
        finally:
            self.run.ctx.payload = self.payload
            if self._inside is not None:
                await self._inside.aclose()

    async def _events(self) -> AsyncGenerator[Any, None]:
        try:
            if isgeneratorfunction(self.hook.call):
                stream = self._around_stream()
            else:
                stream = self._through_hook()
            async with aclosing(stream) as events:
                async for event in events:
                    yield event
            self._finished()
        except Exception as error:
            if not self.answers_for(error):
                raise
            self.refuse(error)
        else:
            if not self.hook.monitor and self.inner.called:
                return
        async for event in self._rest():
            yield event

    def _finished(self) -> None:
        short = not self.inner.called
        changed = short or self._altered or self.changed(UNSET)
        self.run.account.note(self.hook, "modify" if changed else "allow", self.started)

    async def _rest(self) -> AsyncGenerator[Any, None]:
        """Yield what is left of the inner stream when the hook is out of it."""
        while self._held:
            yield self._held.popleft()
        if self._inside is None:
            if self.inner.called:
                return
            self.run.ctx.payload = self.payload
            self._inside = self.run.stream_layer(self.index + 1)
        if self.inner.error is not None:
            raise self.inner.error
        async for event in self._inside:
            yield event

    async def _through_hook(self) -> AsyncGenerator[Any, None]:
        """Yield what an async hook yields, or what the iterator yields that it returns."""
        hook, run, frame = self.hook, self.run, self.run.frame(self.hook)
        made = await run.carried.step(self._make, frame)
        async with closing(made) as source:
            while (event := await run.carried.step(lambda: _next(source), frame)) is not UNSET:
                if hook.monitor:
                    # The real events pass as the hook consumes them; its own go nowhere.
                    while self._held:
                        yield self._held.popleft()
                    continue
                if not self._held or event is not self._held[0] or len(self._held) > 1:
                    self._altered = True
                self._held.clear()
                yield event

    async def _make(self) -> AsyncIterator[Any]:
        made = self.hook.call(self.view, self._stream_next)
        if isasyncgenfunction(self.hook.call):
            iterator: AsyncIterator[Any] = made
            return iterator
        made = await made
        return await source_of(made)

    def _stream_next(self, payload: Any = UNSET) -> _NextStream:
        return _NextStream(self._received(payload))

    async def _received(self, payload: Any) -> AsyncGenerator[Any, None]:
        """Yield the inner events to the hook, and keep them until it has let something through."""
        self.enter(payload)
        if self._inside is not None:
            await self._inside.aclose()
        self._inside = inside = self.run.stream_layer(self.index + 1)
        try:
            while (event := await self.run.carried.step(lambda: _next(inside))) is not UNSET:
                self._held.append(event)
                yield event
        except GeneratorExit:
            raise
        except BaseException as error:
            self.inner.error = error
            raise

    async def _around_stream(self) -> AsyncGenerator[Any, None]:
        """Yield the inner events between the two parts of a generator with one yield."""
        generator = self._on(lambda: self.hook.call(self.view, _no_call))
        try:
            passed = self._on(lambda: next(generator))
        except StopIteration as stop:
            if stop.value is None:
                raise RuntimeError(f"{self.hook.label} ended without a yield") from None
            async with closing(await source_of(stop.value)) as source:
                async for event in source:
                    yield event
            return
        problem: BaseException | None = None
        try:
            async with aclosing(self._received(UNSET if passed is None else passed)) as events:
                async for event in events:
                    self._held.clear()
                    yield event
        except BaseException as error:
            problem = error
            self._leave(generator, error)
            raise
        finally:
            if problem is None:
                self._leave(generator, None)

    def _leave(self, generator: Generator[Any, Any, Any], problem: BaseException | None) -> None:
        try:
            if problem is None:
                self._on(lambda: generator.send(None))
            else:
                self._on(lambda: generator.throw(problem))
        except StopIteration as stop:
            if stop.value is not None:
                raise TypeError(
                    f"{self.hook.label} stands around a stream, which has passed: it returns None"
                ) from None
            return
        except BaseException as error:
            if error is problem or error.__cause__ is problem:
                return
            raise
        generator.close()
        raise RuntimeError(f"{self.hook.label} has a second yield")


class _NextStream:
    """What ``call_next()`` gives a hook: an async iterator, which may also be awaited first."""

    def __init__(self, events: Any) -> None:
        self._events = events

    def __aiter__(self) -> AsyncIterator[Any]:
        iterator: AsyncIterator[Any] = self._events
        return iterator

    def __await__(self) -> Generator[Any, None, AsyncIterator[Any]]:
        return self._opened().__await__()

    async def _opened(self) -> AsyncIterator[Any]:
        iterator: AsyncIterator[Any] = self._events
        return iterator


def _no_call(_payload: Any = None) -> Any:
    raise RuntimeError(
        "a plain generator calls the operation with its one yield, not with call_next()"
    )
