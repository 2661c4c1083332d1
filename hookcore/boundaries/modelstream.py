"""The boundary of a model call that streams its response."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from hookcore_specs import ModelCallContext

from ..dispatch.carrying import StartedIn, closing, source_of, stepped
from ..dispatch.copying import Snapshot, copy_payload
from ..dispatch.plans import Plans
from ..streaming import StreamCodec
from ..streams.release import Release
from ..streams.toolpieces import ToolPieces, check_tool_calls
from ..streams.window import Windows, must_buffer
from ..streams.wrapped import WrappedStream
from ..waiting.requests import Steps, adrive
from .judging import Judging
from .model import ModelBoundary, usage_of

__all__ = ["ModelStreamBoundary"]

_POST = "post_model_call"
_Events = AsyncGenerator[Any, None]


class ModelStreamBoundary(ModelBoundary):
    """One streamed model call: what a policy must judge as a whole leaves only after that.

    It has to be made where the stream is started; it may be consumed anywhere.
    """

    def __init__(
        self,
        plans: Plans,
        ctx: ModelCallContext,
        call: Callable[[list[Any]], Any],
        codec: StreamCodec,
    ) -> None:
        super().__init__(plans, ctx, call, asynchronous=True)
        self._codec = codec
        self._started_in = StartedIn(plans.scopes)
        self._windows: Windows | None = None

    async def events(self) -> _Events:
        """Yield the events as the hooks let them through."""
        failure: BaseException | None = None
        try:
            async with aclosing(self._released()) as events:
                async for event in events:
                    yield event
        except BaseException as error:
            failure = error
            raise
        finally:
            await self._do(self._closed(failure))

    def _closed(self, failure: BaseException | None) -> Steps:
        try:
            if self._windows is not None and failure is not None:
                yield from self._windows.end(failure)
        finally:
            yield from self.finished(failure, waits=True)

    async def _do(self, steps: Steps) -> Any:
        return await self._started_in.step(lambda: adrive(steps))

    async def _released(self) -> _Events:
        judged = await self._do(self.judge("pre_model_call", self.ctx))
        judging = Judging(self.plans, "pre_model_call", self.ctx, judged, asynchronous=True)
        incoming = await self._started_in.step(lambda: self._incoming(judging))
        buffers = await self._started_in.step(self._must_buffer)
        async with aclosing(incoming) as events:
            leaving = self._buffered(events) if buffers else self._passed(events)
            async with aclosing(leaving):
                async for event in leaving:
                    yield event

    async def _incoming(self, judging: Judging) -> _Events:
        """Return the events as the hooks of the wrap point pass them on."""
        plan = self.plans.wraps["wrap_model_call"]
        chain = self.plans.resolve(plan, self.ctx)
        if plan is not None and chain is not None:

            async def source(payload: Any) -> AsyncIterator[Any]:
                return self._body_events(await adrive(judging.judged_again(payload)))

            return WrappedStream(self.plans, plan, chain, self.ctx, source).stream()
        payload = self.ctx.payload

        async def bare() -> AsyncIterator[Any]:
            return self._body_events(await adrive(judging.judged_again(payload, wrapped=False)))

        return stepped(self._started_in.fork(), bare)

    async def _body_events(self, messages: list[Any]) -> _Events:
        await adrive(self.sending(messages))
        try:
            async with closing(await source_of(self._call(messages))) as source:
                async for event in source:
                    yield event
        except BaseException as error:
            self.body_error = error
            raise

    async def _must_buffer(self) -> bool:
        """Tell whether a hook has to judge the whole response; if not, find who sees it pass."""
        plan = self.plans.live[_POST]
        chain = self.plans.resolve(plan, self.ctx)
        if plan is None or chain is None:
            return False
        if any(map(must_buffer, (*chain.hooks, *chain.gates))):
            return True
        self._windows = Windows(self.services, plan, chain, self.ctx)
        return False

    async def _buffered(self, events: _Events) -> _Events:
        """Yield nothing before the whole response has been judged."""
        held: list[Any] = []
        problem = await self._collect(events, held)
        response = self._settle(held, problem)
        before = Snapshot(response)
        used = await self._do(self.used())
        unchanged = problem is None and before.tells and before.is_of(used)
        for event in held if unchanged else self._codec.events(used, held):
            yield event

    async def _collect(self, events: _Events, held: list[Any]) -> BaseException | None:
        pieces = ToolPieces(self._codec)
        try:
            async for event in events:
                if not pieces.take(event):
                    held += pieces.release(last=self._codec.is_response(event))
                    held.append(event)
        except Exception as error:
            if not self.looks_at(error):
                raise
            return error
        held += pieces.release(last=True)
        return None

    def _settle(self, events: list[Any], problem: BaseException | None) -> Any:
        response = None if problem is not None else self._codec.assemble(events)
        check_tool_calls(response)
        if any(event is response for event in events):
            response = copy_payload(response)  # what is held is nobody's to edit
        self.ctx.settle(response)
        self.ctx.error = problem
        if self.ctx.usage is None:
            self.ctx.usage = usage_of(response)
        return response

    async def _passed(self, events: _Events) -> _Events:
        """Yield the events while they come, text as the window hooks let it through."""
        release = Release(self._codec, self._windows, self._do)
        problem: BaseException | None = None
        try:
            async for event in events:
                for item in await release.take(event):
                    yield item
        except Exception as error:
            if not self.looks_at(error):
                raise
            problem = error
        for item in await release.flush(calls=problem is None):
            yield item
        self._settle(release.sent, problem)
        windows, self._windows = self._windows, None
        if windows is not None:
            await self._do(windows.tell())
        if problem is not None:
            raise problem
        await self._do(self.dispatch("model_output"))
