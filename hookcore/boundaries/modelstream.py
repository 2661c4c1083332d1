"""The boundary of a model call that streams its response."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import aclosing, closing
from typing import Any

from hookcore_specs import ModelCallContext

from ..dispatch.carrying import StartedIn, source_of, stepped, stepped_sync, sync_source_of
from ..dispatch.copying import Snapshot, copy_payload
from ..dispatch.plan import Chain, Plan
from ..dispatch.plans import Plans
from ..streams.codec import StreamCodec
from ..streams.free import free, free_sync
from ..streams.judges import Judges
from ..streams.release import Release
from ..streams.wrapped import WrappedStream
from ..streams.wrapped_sync import SyncWrappedStream
from ..waiting.requests import Steps, adrive
from .judging import Judging
from .model import ModelBoundary, usage_of

__all__ = ["AsyncModelStream", "SyncModelStream"]

_PRE, _WRAP, _POST = "pre_model_call", "wrap_model_call", "post_model_call"


class _ModelStream(ModelBoundary):
    """One streamed model call: what a policy must judge as a whole leaves only after that.

    Everything but the pulling of events is written here once, as steps. It has to be made where the
    stream is started; it may be consumed anywhere.
    """

    def __init__(
        self,
        plans: Plans,
        ctx: ModelCallContext,
        call: Callable[[list[Any]], Any],
        codec: StreamCodec,
        *,
        asynchronous: bool,
    ) -> None:
        super().__init__(plans, ctx, call, asynchronous=asynchronous)
        self._codec = codec
        self._started_in = StartedIn(plans.scopes)
        self._judges: Judges | None = None
        self.buffers = False
        self.release: Release

    @property
    def is_idle(self) -> bool:
        """True when no hook, not even a scoped one, can see this call."""
        live, wraps = self.plans.live, self.plans.wraps
        points = (_PRE, "model_input", _POST, "model_output", "model_finished")
        return wraps[_WRAP] is None and all(live[point] is None for point in points)

    def begun(self) -> Steps:
        """Settle what is to be sent, and find the hooks of the response."""
        plans, ctx = self.plans, self.ctx
        judged = yield from self.judge(_PRE, ctx)
        asynchronous = self.asynchronous
        self._judging = Judging(plans, _PRE, ctx, judged, asynchronous=asynchronous)
        plan = plans.live[_POST]
        chain = plans.resolve(plan, ctx)
        if plan is not None and chain is not None:
            self._judges = Judges(self.services, plan, chain, ctx, asynchronous=asynchronous)
            self.buffers = self._judges.buffers
        points = ("model_output", "model_finished")
        told = self._judges is not None or any(plans.live[point] is not None for point in points)
        self.release = Release(self._codec, self._judges, passes=not told)

    def wraps(self) -> tuple[Plan, Chain] | None:
        """Return the hooks that stand around the stream, None where there are none."""
        plan = self.plans.wraps[_WRAP]
        chain = self.plans.resolve(plan, self.ctx)
        return None if plan is None or chain is None else (plan, chain)

    def sent(self, payload: Any, *, wrapped: bool) -> Steps:
        """Let the gates judge what is sent, tell of it, and return it."""
        messages = yield from self._judging.judged_again(payload, wrapped=wrapped)
        yield from self.sending(messages)
        return messages

    def fails(self, error: BaseException) -> None:
        """Note an error of the model's own."""
        self.body_error = error

    def leaving(self) -> list[Any]:
        """Return the events that may leave now."""
        return [] if self.buffers else self.release.taken()

    def ended(self, problem: BaseException | None) -> Steps:
        """Judge what has to be judged whole; return the last events that may leave.

        Args:
            problem: the model's own error, if it raised one.
        """
        steps = self.release.end(calls=problem is None)
        if steps is not None:
            yield from steps
        if not self.buffers:
            return self.release.taken()
        held = self.release.taken()
        response = self._settled(held, problem)
        before = Snapshot(response)
        used = yield from self._used()
        unchanged = problem is None and before.tells and before.is_of(used)
        return held if unchanged else list(self._codec.events(used, held))

    def _used(self) -> Steps:
        judges = self._judges
        if judges is None or not judges.has_unread:
            return (yield from self.used())
        self._judges = None
        ctx = self.ctx
        judged = yield from judges.judge()
        if judged is not None:
            ctx.error = judged.error
        if ctx.error is not None:
            raise ctx.error
        return (yield from self.told(ctx.payload if judged is None else judged.payload))

    def over(self, problem: BaseException | None) -> Steps:
        """Tell those who are told afterwards of what has left; raise the model's own error."""
        if self.buffers:
            return
        if self.release.sent is not None or problem is not None:
            self._settled(self.release.sent or (), problem)
            judges, self._judges = self._judges, None
            if judges is not None:
                yield from judges.tell()
        if problem is not None:
            raise problem
        yield from self.dispatch("model_output")

    def closed(self, failure: BaseException | None) -> Steps:
        """Tell of the stream's one end."""
        try:
            if self._judges is not None and failure is not None:
                yield from self._judges.end(failure)
        finally:
            yield from self.finished(failure, waits=True)

    def _settled(self, events: Sequence[Any], problem: BaseException | None) -> Any:
        response = None if problem is not None else self._codec.assemble(events)
        if any(event is response for event in events):
            response = copy_payload(response)  # what is held is nobody's to edit
        if self.ctx.usage is None:
            self.ctx.usage = getattr(response, "usage", None)
        self.ctx.settle(response)
        self.ctx.error = problem
        if self.ctx.usage is None:
            self.ctx.usage = usage_of(response)
        return response


class AsyncModelStream(_ModelStream):
    """A streamed model call of a host that awaits."""

    def __init__(
        self,
        plans: Plans,
        ctx: ModelCallContext,
        call: Callable[[list[Any]], Any],
        codec: StreamCodec,
    ) -> None:
        super().__init__(plans, ctx, call, codec, asynchronous=True)

    def events(self) -> AsyncGenerator[Any, None]:
        """Return the events as the hooks let them through."""
        if not self.is_idle:
            return self._governed()
        release = Release(self._codec, None, passes=True)
        return free(self._started_in, release, self._asked, self._governed_by_now)

    async def _asked(self) -> AsyncIterator[Any]:
        return await source_of(self._call(self.ctx.payload))

    def _governed_by_now(self) -> AsyncGenerator[Any, None] | None:
        return None if self.is_idle else self._governed()

    async def _governed(self) -> AsyncGenerator[Any, None]:
        failure: BaseException | None = None
        problem: BaseException | None = None
        try:
            await self._do(self.begun())
            push, plain, held = self.release.push, self.release.plain, self.release.held
            async with aclosing(await self._started_in.step(self._incoming)) as events:
                try:
                    async for event in events:
                        if type(event) in plain and not held:
                            yield event
                            continue
                        steps = push(event)
                        if steps is not None:
                            await self._do(steps)
                        for item in self.leaving():
                            yield item
                except Exception as error:
                    if not self.looks_at(error):
                        raise
                    problem = error
            for item in await self._do(self.ended(problem)):
                yield item
            await self._do(self.over(problem))
        except BaseException as error:
            failure = error
            raise
        finally:
            await self._do(self.closed(failure))

    async def _do(self, steps: Steps) -> Any:
        return await self._started_in.step(lambda: adrive(steps))

    async def _incoming(self) -> AsyncGenerator[Any, None]:
        """Return the events as the hooks of the wrap point pass them on."""
        wraps = self.wraps()
        if wraps is not None:

            def opened(payload: Any) -> Any:
                return self._opened(payload, wrapped=True)

            return WrappedStream(self.plans, *wraps, self.ctx, opened, failed=self.fails).stream()
        payload = self.ctx.payload
        return stepped(
            self._started_in.fork(), lambda: self._opened(payload, wrapped=False), self.fails
        )

    async def _opened(self, payload: Any, *, wrapped: bool) -> AsyncIterator[Any]:
        messages = await adrive(self.sent(payload, wrapped=wrapped))
        try:
            return await source_of(self._call(messages))
        except BaseException as error:
            self.body_error = error
            raise


class SyncModelStream(_ModelStream):
    """A streamed model call of a host that does not await."""

    def __init__(
        self,
        plans: Plans,
        ctx: ModelCallContext,
        call: Callable[[list[Any]], Any],
        codec: StreamCodec,
    ) -> None:
        super().__init__(plans, ctx, call, codec, asynchronous=False)

    def events(self) -> Generator[Any, None, None]:
        """Return the events as the hooks let them through."""
        if not self.is_idle:
            return self._governed()
        release = Release(self._codec, None, passes=True)
        return free_sync(self._started_in, release, self._asked, self._governed_by_now)

    def _asked(self) -> Iterator[Any]:
        return sync_source_of(self._call(self.ctx.payload))

    def _governed_by_now(self) -> Generator[Any, None, None] | None:
        return None if self.is_idle else self._governed()

    def _governed(self) -> Generator[Any, None, None]:
        failure: BaseException | None = None
        problem: BaseException | None = None
        try:
            self._do(self.begun())
            push, plain, held = self.release.push, self.release.plain, self.release.held
            with closing(self._started_in.step_sync(self._incoming)) as events:
                try:
                    for event in events:
                        if type(event) in plain and not held:
                            yield event
                            continue
                        steps = push(event)
                        if steps is not None:
                            self._do(steps)
                        yield from self.leaving()
                except Exception as error:
                    if not self.looks_at(error):
                        raise
                    problem = error
            yield from self._do(self.ended(problem))
            self._do(self.over(problem))
        except BaseException as error:
            failure = error
            raise
        finally:
            self._do(self.closed(failure))

    def _do(self, steps: Steps) -> Any:
        return self._started_in.step_sync(lambda: self.services.drive(steps))

    def _incoming(self) -> Generator[Any, None, None]:
        """Return the events as the hooks of the wrap point pass them on."""
        wraps = self.wraps()
        if wraps is not None:

            def opened(payload: Any) -> Any:
                return self._opened(payload, wrapped=True)

            return SyncWrappedStream(
                self.plans, *wraps, self.ctx, opened, failed=self.fails
            ).stream()
        payload = self.ctx.payload
        return stepped_sync(
            self._started_in.fork(), lambda: self._opened(payload, wrapped=False), self.fails
        )

    def _opened(self, payload: Any, *, wrapped: bool) -> Iterator[Any]:
        messages = self.services.drive(self.sent(payload, wrapped=wrapped))
        try:
            return sync_source_of(self._call(messages))
        except BaseException as error:
            self.body_error = error
            raise
