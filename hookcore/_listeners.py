"""Those who are told of each dispatch: subscribed functions and ``hook_dispatched`` hooks."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from hookcore_specs import EventContext, HookDispatchedEvent
from hookcore_specs._runtime import ACTIVE, HOOK, Frame, leave

from ._engine import LISTENER, Dispatch, Steps
from ._settle import describe

if TYPE_CHECKING:
    from ._core import ManagerCore
    from ._plan import Plan

__all__ = ["Listener", "Listeners"]

logger = logging.getLogger("hookcore")

Listener = Callable[[HookDispatchedEvent], object]


class Listeners:
    """The listeners of one manager; what they raise is logged and changes nothing."""

    def __init__(self, manager: ManagerCore) -> None:
        self._manager = manager
        self._lock = Lock()
        #: The subscribed functions, replaced as a whole at each change.
        self.functions: tuple[Listener, ...] = ()

    def add(self, function: Listener) -> Callable[[], None]:
        """Subscribe a function and return what unsubscribes it; a second call of that is harmless.

        Raises:
            TypeError: the function is not callable, or is async.
        """
        if not callable(function):
            raise TypeError(f"subscribe() takes a function of one event, not {function!r}")
        if inspect.iscoroutinefunction(function):
            raise TypeError(
                "subscribe() takes a plain function: an async listener is a plugin with an "
                "async hook_dispatched hook"
            )

        def entry(event: HookDispatchedEvent) -> object:
            return function(event)

        with self._lock:
            self.functions = (*self.functions, entry)

        def unsubscribe() -> None:
            with self._lock:
                self.functions = tuple(item for item in self.functions if item is not entry)
            self._manager._refresh_watch()

        self._manager._refresh_watch()
        return unsubscribe

    def tell(self, event: HookDispatchedEvent, frame: Frame) -> None:
        """Tell the subscribed functions, in the frame of the dispatch that has just ended."""
        frame[HOOK] = LISTENER
        self._tell(event)

    def steps(self, event: HookDispatchedEvent, plan: Plan | None) -> Steps:
        """Tell the subscribed functions, then the ``hook_dispatched`` hooks."""
        with self._marked():
            self._tell(event)
            if plan is None:
                return
            ctx = EventContext(
                payload=event,
                run_id=event.run_id,
                parent_run_id=event.parent_run_id,
                session_id=event.session_id,
                call_id=event.call_id,
                agent=event.agent,
            )
            chain = self._manager._resolve(plan, ctx)
            if chain is None:
                return
            dispatch = Dispatch(self._manager, plan, chain, ctx, asynchronous=False)
            try:
                yield from dispatch.steps()
            except Exception as error:  # noqa: BLE001 - a listener changes nothing
                _log(error)

    def _tell(self, event: HookDispatchedEvent) -> None:
        for function in self.functions:
            try:
                function(event)
            except Exception as error:  # noqa: BLE001 - a listener changes nothing
                _log(error)

    @contextmanager
    def _marked(self) -> Iterator[None]:
        # Dispatches that a listener causes find this mark and emit nothing: no loops.
        token = ACTIVE.set([ACTIVE.get(), LISTENER, self._manager, None])
        try:
            yield
        finally:
            leave(token)


def _log(error: Exception) -> None:
    logger.warning("a listener of hook events failed (%s)", describe(error), exc_info=error)
