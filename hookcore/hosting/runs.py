"""A run around a generator: current in the generator's steps, and never in its consumer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Iterator
from functools import partial
from typing import Any

from ..boundaries.run import RunBoundary
from ..dispatch.carrying import StartedIn
from ..dispatch.copying import Snapshot
from ..dispatch.stepping import closing as closing_any
from ..dispatch.stepping import source_of, stepped, stepped_sync
from ..manager import HookManager

__all__ = ["arun_stream", "run_stream"]

_JUDGING = ("post_run", "output", "execution_end")

Events = Callable[[Any, "list[Any]"], Iterable[Any]]


def arun_stream(
    manager: HookManager,
    make: Callable[[RunBoundary], Any],
    inputs: dict[str, Any] | None = None,
    *,
    message: Any = None,
    events: Events | None = None,
    hold: bool = True,
    **fields: Any,
) -> AsyncGenerator[Any, None]:
    """Return what an async generator yields, as one run that begins with the first item.

    The run ends exactly once, however the iteration does. When a hook has to judge its result, all
    items are held until it has.

    Args:
        manager: the hooks.
        make: gives the async iterator, or a coroutine for one, when the run has begun; it reads
            ``run.message`` and ``run.inputs`` and sets ``run.result``. Where items are held and
            it sets none, the result is the list of the items.
        inputs: the inputs dict.
        message: the input message; or a function of the inputs that gives it.
        events: gives the items that stand for a result which the hooks have changed, from it and
            the held items. Without it they are those of a list, or else the result itself.
        hold: false for items that no policy has to see before the result was judged, since each
            was judged when it came about.
        fields: fields of the context (``agent``, ``run_id``, ``session_id``, ...).

    Raises:
        HookAborted: while iterating, when a policy denies the run or its result.
        Exception: while iterating, what the generator raises.
    """
    run = partial(manager.run, inputs, message=message, **fields)
    stream = _RunStream(manager, run, events, hold=hold)

    async def started() -> AsyncIterator[Any]:
        return stream.items(make)

    return stepped(StartedIn(manager.parts.plans.scopes), started)


def run_stream(
    manager: HookManager,
    make: Callable[[RunBoundary], Iterator[Any]],
    inputs: dict[str, Any] | None = None,
    *,
    message: Any = None,
    events: Events | None = None,
    hold: bool = True,
    **fields: Any,
) -> Generator[Any, None, None]:
    """Return what a generator yields as one run, like :func:`arun_stream`."""
    run = partial(manager.run, inputs, message=message, **fields)
    stream = _RunStream(manager, run, events, hold=hold)
    return stepped_sync(StartedIn(manager.parts.plans.scopes), lambda: stream.items_sync(make))


class _RunStream:
    """One run whose items come while it goes on."""

    def __init__(
        self,
        manager: HookManager,
        run: Callable[[], RunBoundary],
        events: Events | None,
        *,
        hold: bool,
    ) -> None:
        self._plans = manager.parts.plans
        self._run = run
        self._events = events
        self._hold = hold

    async def items(self, make: Callable[[RunBoundary], Any]) -> AsyncGenerator[Any, None]:
        """Yield the items of an async generator."""
        held = None
        async with self._run() as run:
            held = self._held(run)
            async with closing_any(await source_of(make(run))) as source:
                async for item in source:
                    if held is None:
                        yield item
                    else:
                        held.items.append(item)
            if held is not None:
                held.note(run)
        for item in [] if held is None else held.leaving(run, self._events):
            yield item

    def items_sync(self, make: Callable[[RunBoundary], Any]) -> Generator[Any, None, None]:
        """Yield the items of a plain generator."""
        held = None
        with self._run() as run:
            held = self._held(run)
            source = make(run)
            try:
                for item in source:
                    if held is None:
                        yield item
                    else:
                        held.items.append(item)
            finally:
                close = getattr(source, "close", None)
                if close is not None:
                    close()
            if held is not None:
                held.note(run)
        yield from [] if held is None else held.leaving(run, self._events)

    def _held(self, run: RunBoundary) -> _Held | None:
        """Return where items wait when a hook has to judge the run's result, else None."""
        chains = [self._plans.resolve(self._plans.live[point], run.ctx) for point in _JUDGING]
        judging = [hook for chain in chains if chain for hook in (*chain.hooks, *chain.gates)]
        return _Held() if self._hold and not all(hook.monitor for hook in judging) else None


class _Held:
    """Items that wait until the run's result has been judged."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._before: Snapshot | None = None

    def note(self, run: RunBoundary) -> None:
        """Take note of the result before it is judged."""
        if run.result is None:
            run.result = list(self.items)
        self._before = Snapshot(run.result)

    def leaving(self, run: RunBoundary, events: Events | None) -> Iterable[Any]:
        """Return the items that stand for the result as the hooks left it."""
        before, result = self._before, run.result
        if before is not None and before.tells and before.is_of(result):
            return self.items
        if events is not None:
            return events(result, self.items)
        return result if isinstance(result, list) else [result]
