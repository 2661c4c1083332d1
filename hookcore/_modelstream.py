"""The boundary of a model call that streams its response."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from hookcore_specs import ModelCallContext

from ._carry import Carried
from ._gates import Gates
from ._modelcall import ModelCall
from ._plan import Chain, Plan
from ._requests import Steps, adrive
from ._streams import StreamRun, closing, source_of
from ._toolpieces import ToolPieces, check_tool_calls
from ._window import Passing, must_buffer
from .streaming import StreamCodec

if TYPE_CHECKING:
    from ._core import ManagerCore

__all__ = ["ModelStream"]

_POST = "post_model_call"


class ModelStream(ModelCall):
    """One streamed model call: what a policy must judge as a whole leaves only after that."""

    def __init__(
        self,
        manager: ManagerCore,
        ctx: ModelCallContext,
        call: Callable[[list[Any]], Any],
        codec: StreamCodec,
    ) -> None:
        super().__init__(manager, ctx, call, asynchronous=True)
        self._codec = codec
        self._carried = Carried(manager)
        self._sent: list[Any] = []
        self._last_text: Any = ""
        self._came: list[str] = []
        self._passing: Passing | None = None

    async def events(self) -> AsyncGenerator[Any, None]:
        """Yield the events as the hooks let them through."""
        failure: BaseException | None = None
        try:
            async with aclosing(self._events()) as events:
                async for event in events:
                    yield event
        except BaseException as error:
            failure = error
            raise
        finally:
            await self._do(self._closed(failure))

    def _closed(self, failure: BaseException | None) -> Steps:
        try:
            if self._passing is not None and failure is not None:
                yield from self._passing.end(_waiting(failure))
        finally:
            yield from self.finished(failure, waiting=True)

    async def _do(self, steps: Steps) -> Any:
        return await self._carried.step(lambda: adrive(steps))

    async def _events(self) -> AsyncGenerator[Any, None]:
        judged = await self._do(self.judge("pre_model_call", self.ctx))
        gates = Gates(self.manager, "pre_model_call", self.ctx, judged, asynchronous=True)

        async def source(payload: Any) -> AsyncIterator[Any]:
            return self._streamed_body(await adrive(gates.judged_again(payload)))

        plan = self.manager._wrap_plans["wrap_model_call"]
        chain = await self._resolved(plan)
        if plan is None or chain is None:
            events = await self._carried.step(lambda: source(self.ctx.payload))
        else:
            events = StreamRun(self.manager, plan, chain, self.ctx, source).stream()
        async with closing(events):
            released = self._released(events)
            async with aclosing(released):
                async for event in released:
                    yield event

    async def _resolved(self, plan: Plan | None) -> Chain | None:
        async def resolve() -> Chain | None:
            return None if plan is None else self.manager._resolve(plan, self.ctx)

        return await self._carried.step(resolve)

    async def _streamed_body(self, messages: list[Any]) -> AsyncGenerator[Any, None]:
        await adrive(self.sending(messages))
        try:
            async with closing(await source_of(self._call(messages))) as source:
                async for event in source:
                    yield event
        except BaseException as error:
            self.body_error = error
            raise

    async def _released(self, events: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
        plan = self.manager._plans[_POST]
        if plan is not None:
            self.ctx.point = plan.label
        chain = await self._resolved(plan)
        hooks = () if chain is None else (*chain.hooks, *chain.gates)
        if plan is None or chain is None or any(map(must_buffer, hooks)):
            buffered = bool(hooks)
        else:
            buffered = False
            self._passing = Passing(self.manager, plan, chain, self.ctx)
        stream = self._buffered(events) if buffered else self._passed(events)
        async with aclosing(stream):
            async for event in stream:
                yield event

    async def _buffered(self, events: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
        """Yield nothing before the whole response has been judged."""
        held: list[Any] = []
        pieces = ToolPieces(self._codec)
        problem = await self._collect(events, pieces, held)
        response = self._settled(held, problem)
        await self._do(self.answered())
        changed = problem is not None or self.ctx.payload is not response
        for event in self._codec.events(self.ctx.payload, held) if changed else held:
            yield event

    async def _collect(
        self, events: AsyncIterator[Any], pieces: ToolPieces, held: list[Any]
    ) -> BaseException | None:
        try:
            async for event in events:
                if not pieces.take(event):
                    held.extend(pieces.release())
                    held.append(event)
            held.extend(pieces.release())
        except Exception as error:
            if error is not self.body_error:
                raise
            return error
        return None

    def _settled(self, events: list[Any], problem: BaseException | None) -> Any:
        ctx = self.ctx
        ctx.settle(None if problem is not None else self._codec.assemble(events))
        check_tool_calls(ctx.payload)
        ctx.error = problem
        return ctx.payload

    async def _passed(self, events: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
        """Yield the events while they come, text as the window hooks let it through."""
        pieces = ToolPieces(self._codec)
        problem: BaseException | None = None
        try:
            async for event in events:
                if pieces.take(event):
                    for item in await self._flushed():
                        yield self._note(item)
                    continue
                for item in (*pieces.release(), *await self._let_through(event)):
                    yield self._note(item)
            for item in pieces.release():
                yield self._note(item)
        except Exception as error:
            if error is not self.body_error:
                raise
            problem = error
        for item in await self._flushed():
            yield self._note(item)
        async for event in self._ended(problem):
            yield event

    async def _let_through(self, event: Any) -> list[Any]:
        """Return the events that may leave now that ``event`` has come."""
        text = self._codec.text(event)
        if text is None:
            # Text that is held must not be overtaken by what came after it.
            flushed = await self._flushed()
            return [*flushed, await self._summed(event, flushed)]
        self._last_text = event
        self._came.append(text)
        text = await self._seen(text, last=False)
        return [self._codec.with_text(event, text)] if text else []

    async def _summed(self, event: Any, flushed: list[Any]) -> Any:
        """Return an event, one that sums up with the text that was really let through."""
        if not self._codec.is_response(event):
            return event
        check_tool_calls(event)
        if self._passing is None:
            return event
        text = self._codec.response_text(event)
        if text == "".join(self._came):
            text = "".join(self._codec.text(item) or "" for item in (*self._sent, *flushed))
        else:  # it has text that was never streamed
            text = await self._seen(text, last=True)
        return self._codec.with_response_text(event, text)

    async def _ended(self, problem: BaseException | None) -> AsyncGenerator[Any, None]:
        response = self._settled(self._sent, problem)
        if self._passing is not None:
            passing, self._passing = self._passing, None
            await self._do(passing.end(problem))
        if self.ctx.error is not None:
            raise self.ctx.error
        await self._do(self.dispatch("model_output"))
        if problem is not None:
            for event in self._codec.events(response, self._sent):
                yield event

    def _note(self, event: Any) -> Any:
        self._sent.append(event)
        return event

    async def _seen(self, text: str, *, last: bool) -> str:
        if self._passing is None:
            return text
        seen: str = await self._do(self._passing.feed(text, last=last))
        return seen

    async def _flushed(self) -> list[Any]:
        """Return what the windows still hold, as events."""
        if self._passing is None:
            return []
        text = await self._seen("", last=True)
        return [self._codec.with_text(self._last_text, text)] if text else []


def _waiting(error: BaseException) -> BaseException:
    # The end of an async generator may wait, also when it is closed: it is no GeneratorExit there.
    return RuntimeError("the stream was closed") if isinstance(error, GeneratorExit) else error
