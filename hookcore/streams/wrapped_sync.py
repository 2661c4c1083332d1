"""Wrap points around plain iterators, for hosts that do not await."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Any

from ..dispatch.carrying import UNSET, StartedIn
from ..dispatch.stepping import stepped_sync, sync_source_of
from ..wraps.generators import advanced, refuse_async, use_yield
from ..wraps.onion import answered
from .layers import StreamHookLayer, StreamOnion

__all__ = ["SyncWrappedStream"]


class SyncWrappedStream(StreamOnion):
    """A run through hooks that are generators with one yield, around a plain iterator."""

    def stream(self) -> Generator[Any, None, None]:
        """Return the events as the outermost hook lets them through.

        Raises:
            RegistrationError: one of the hooks is async.
        """
        refuse_async(self.hooks)
        return self._events()

    def _events(self) -> Generator[Any, None, None]:
        self.ctx.point = self.plan.label
        stopped_by: BaseException | None = None
        try:
            with closing(self.layer(0, self._started_in)) as events:
                yield from events
        except BaseException as error:
            stopped_by = error
            raise
        finally:
            steps = self.finish(stopped_by, waits=True)
            self._started_in.step_sync(lambda: self.services.drive(steps))

    def layer(self, index: int, started_in: StartedIn) -> Generator[Any, None, None]:
        """Return the events of the layers from ``index`` inwards, which start in ``started_in``."""
        if index == len(self.hooks):
            payload = self.ctx.payload
            return stepped_sync(started_in.fork(), lambda: self.call(payload), **self._options)
        hook = self.hooks[index]
        layer = self.made(lambda: _SyncLayer(self, hook, index, started_in), hook)
        return self.layer(index + 1, started_in) if layer is None else layer.events()


class _SyncLayer(StreamHookLayer):
    """One hook around the streams inside it."""

    _inside: Generator[Any, None, None] | None

    def events(self) -> Generator[Any, None, None]:
        """Yield the inner events, or those of a hook that answers in their place."""
        leaving = False
        goes_on = self.hook.monitor
        try:
            try:
                with closing(self._around()) as events:
                    for event in events:
                        try:
                            yield event
                        except GeneratorExit:
                            leaving = True
                            raise
                self.ended()
            except BaseException as error:  # noqa: BLE001 - raised again unless it is the hook's
                if leaving and not self.run.passes(error):
                    self.failed_at_the_end(error)
                    return
                self.refuse(error)
                goes_on = True
            if goes_on:
                yield from self._rest()
        finally:
            self.over()
            if self._inside is not None:
                self._inside.close()

    def _rest(self) -> Generator[Any, None, None]:
        """Yield what is left of the inner stream when the hook is out of it."""
        if self.inner.error is not None:
            raise self.inner.error
        if self._inside is None:
            self.run.ctx.payload = self.payload
            self._inside = self.run.layer(self._index + 1, self._outside)
        yield from self._inside

    def _around(self) -> Generator[Any, None, None]:
        """Yield the inner events between the two parts of the hook."""
        generator = self.hook.call(self.view, use_yield)
        done, passed = self._advance(generator, None)
        if done:
            value = self.short_circuit(passed)
            if not self.hook.monitor:
                yield from stepped_sync(self._started_in, lambda: sync_source_of(value))
            return
        problem: BaseException | None = None
        try:
            given = UNSET if passed is None else answered(self.hook, passed)
            inner = self._receive(given)
            with closing(inner):
                yield from inner
        except BaseException as error:  # noqa: BLE001 - the hook sees it, and passes it on
            problem = error
        try:
            left = self._advance(generator, problem)
        except BaseException as error:
            if error is not problem:
                raise
        else:
            self.check_end(generator, left)
        if problem is not None:
            raise problem

    def _receive(self, payload: Any) -> Generator[Any, None, None]:
        self.enter(payload)
        self._inside = self.run.layer(self._index + 1, self._started_in.fork(self.run.outer))
        try:
            with closing(self._inside) as events:
                yield from events
        except GeneratorExit:
            raise
        except BaseException as error:
            self.inner.fail(error, signal=self.run.is_signal(error))
            raise
        self._exhausted = True

    def _advance(
        self, generator: Generator[Any, Any, Any], problem: BaseException | None
    ) -> tuple[bool, Any]:
        return self._started_in.resume_sync(lambda: advanced(generator, None, problem))
