"""A streamed model call of a host that does not await: the pulling of its events."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any

from hookcore_specs import ModelCallContext

from ..dispatch.plans import Plans
from ..dispatch.stepping import stepped_sync, sync_source_of
from ..streaming import StreamCodec
from ..streams.free import free_sync
from ..streams.release import Release
from ..streams.wrapped_sync import SyncWrappedStream
from ..waiting.requests import Steps
from . import inside
from .inside import MARK, leave_mark
from .modelstream import ModelStream

__all__ = ["SyncModelStream"]


class SyncModelStream(ModelStream):
    """A streamed model call of a host that does not await."""

    def __init__(
        self,
        plans: Plans,
        ctx: ModelCallContext,
        call: Callable[[list[Any]], Any],
        codec: StreamCodec | None,
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
            self._started_in.fork(),
            lambda: self._opened(payload, wrapped=False),
            failed=self.fails,
            mark=(MARK, self),
        )

    def _opened(self, payload: Any, *, wrapped: bool) -> Iterator[Any]:
        messages = self.services.drive(self.sent(payload, wrapped=wrapped))
        inside.begin(self, messages)
        token = MARK.set(self)
        try:
            return sync_source_of(self._call(messages))
        except BaseException as error:
            self.body_error = error
            raise
        finally:
            leave_mark(token)
