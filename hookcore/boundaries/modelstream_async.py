"""A streamed model call of a host that awaits: the pulling of its events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from hookcore_specs import ModelCallContext

from ..dispatch.plans import Plans
from ..dispatch.stepping import source_of, stepped
from ..streaming import StreamCodec
from ..streams.free import free
from ..streams.release import Release
from ..streams.wrapped import WrappedStream
from ..waiting.requests import Steps, adrive
from . import inside
from .inside import MARK, leave_mark
from .modelstream import ModelStream

__all__ = ["AsyncModelStream"]


class AsyncModelStream(ModelStream):
    """A streamed model call of a host that awaits."""

    def __init__(
        self,
        plans: Plans,
        ctx: ModelCallContext,
        call: Callable[[list[Any]], Any],
        codec: StreamCodec | None,
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

            return WrappedStream(
                self.plans, *wraps, self.ctx, opened, failed=self.fails, mark=(MARK, self)
            ).stream()
        payload = self.ctx.payload
        return stepped(
            self._started_in.fork(),
            lambda: self._opened(payload, wrapped=False),
            failed=self.fails,
            mark=(MARK, self),
        )

    async def _opened(self, payload: Any, *, wrapped: bool) -> AsyncIterator[Any]:
        messages = await adrive(self.sent(payload, wrapped=wrapped))
        inside.begin(self, messages)
        token = MARK.set(self)
        try:
            return await source_of(self._call(messages))
        except BaseException as error:
            self.body_error = error
            raise
        finally:
            leave_mark(token)
