"""Those who are told of each dispatch: subscribed functions and ``hook_dispatched`` hooks."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from hookcore_specs import EventContext, HookDispatchedEvent
from hookcore_specs._runtime import ACTIVE, leave

from ..hooks.validation import is_async
from .answers import describe
from .engine import LISTENER, Dispatch, Steps

if TYPE_CHECKING:
    from .core import ManagerCore
    from .plan import Plan

__all__ = ["Listener", "Listeners", "tell"]

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
        if is_async(function):
            raise TypeError(
                "subscribe() takes a plain function: an async listener is a plugin with an "
                "async hook_dispatched hook"
            )

        with self._lock:
            self.functions = (*self.functions, function)

        subscribed = True

        def unsubscribe() -> None:
            nonlocal subscribed
            with self._lock:
                if subscribed:
                    subscribed = False
                    self.functions = _without(self.functions, function)
            self._manager._refresh_watch()

        self._manager._refresh_watch()
        return unsubscribe

    def steps(self, event: HookDispatchedEvent, plan: Plan | None) -> Steps:
        """Tell the subscribed functions, then the ``hook_dispatched`` hooks."""
        with self._marked():
            tell(self.functions, event)
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


def tell(functions: tuple[Listener, ...], event: HookDispatchedEvent) -> None:
    """Call each function with the event; what one raises is logged and changes nothing."""
    for function in functions:
        try:
            answer = function(event)
            if answer is not None:
                _refuse_coroutine(answer)
        except Exception as error:  # noqa: BLE001 - a listener changes nothing
            _log(error)


def _without(functions: tuple[Listener, ...], function: Listener) -> tuple[Listener, ...]:
    """Return the functions without one subscription of ``function``."""
    index = next(i for i, item in enumerate(functions) if item is function)
    return (*functions[:index], *functions[index + 1 :])


def _refuse_coroutine(answer: object) -> None:
    if inspect.iscoroutine(answer):
        answer.close()
        raise TypeError("a listener is a plain function and returns no coroutine")
