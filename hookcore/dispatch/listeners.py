"""Functions that are told of each dispatch."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from threading import Lock

from hookcore_specs import HookDispatchedEvent

from ..errors import describe_failure
from ..hooks.validation import is_async
from ..later import logger

__all__ = ["Listener", "Listeners", "log_listener_failure", "tell"]

Listener = Callable[[HookDispatchedEvent], object]


class Listeners:
    """The subscribed functions of one manager; what they raise is logged and changes nothing.

    Args:
        changed: called after each change.
    """

    def __init__(self, changed: Callable[[], object]) -> None:
        self._lock = Lock()
        self._changed = changed
        #: The subscribed functions.
        self.subscribed: tuple[Listener, ...] = ()
        #: All that are called with each event, replaced as a whole at each change: the subscribed
        #: functions, then what tells the hooks at ``hook_dispatched``.
        self.functions: tuple[Listener, ...] = ()
        self._teller: Listener | None = None

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
            self._set((*self.subscribed, function))

        subscribed = True

        def unsubscribe() -> None:
            nonlocal subscribed
            with self._lock:
                if subscribed:
                    subscribed = False
                    self._set(_without(self.subscribed, function))
            self._changed()

        self._changed()
        return unsubscribe

    def restore(self, functions: tuple[Listener, ...]) -> None:
        """Make other functions the subscribed ones, as they were at an earlier time."""
        with self._lock:
            self._set(functions)
        self._changed()

    def tell_hooks_by(self, teller: Listener | None) -> None:
        """Call a function after the subscribed ones, which tells the hooks."""
        with self._lock:
            self._teller = teller
            self._set(self.subscribed)

    def _set(self, functions: tuple[Listener, ...]) -> None:
        self.subscribed = functions
        self.functions = functions if self._teller is None else (*functions, self._teller)


def tell(functions: tuple[Listener, ...], event: HookDispatchedEvent) -> None:
    """Call each function with the event; what one raises is logged and changes nothing."""
    for function in functions:
        try:
            answer = function(event)
            if answer is not None:
                _refuse_coroutine(answer)
        except Exception as error:  # noqa: BLE001 - a listener changes nothing
            log_listener_failure(error)


def log_listener_failure(error: Exception) -> None:
    """Log what a listener raised."""
    text = describe_failure(error)
    logger.warning("a listener of hook events failed (%s)", text, exc_info=error)


def _without(functions: tuple[Listener, ...], function: Listener) -> tuple[Listener, ...]:
    """Return the functions without one subscription of ``function``."""
    index = next(i for i, item in enumerate(functions) if item is function)
    return (*functions[:index], *functions[index + 1 :])


def _refuse_coroutine(answer: object) -> None:
    if inspect.iscoroutine(answer):
        answer.close()
        raise TypeError("a listener is a plain function and returns no coroutine")
