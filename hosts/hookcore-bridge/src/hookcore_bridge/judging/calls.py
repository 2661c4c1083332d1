"""Tool calls whose beginning and end are told in two requests, each as one boundary in a thread."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import Future
from typing import Any, Final

from hookcore import HookManager
from hookcore.hosting import BodyFailed

from .threads import Threads, result_of

__all__ = ["AbandonedError", "AnsweredError", "Calls", "OpenCall", "ToolFailedError"]

MOST_OPEN: Final = 128
"""The calls that wait for their end; a client whose user says no never tells of it."""


class AbandonedError(Exception):
    """Nobody will tell of the end of a call: its status is "cancelled"."""


class AnsweredError(Exception):
    """A wrap has answered in the place of a call: it must not run."""

    def __init__(self, value: Any) -> None:
        super().__init__("a policy has answered in the tool's place")
        self.value = value


class ToolFailedError(Exception):
    """A tool failed, as its client tells; the text is the client's."""


class OpenCall:
    """One call, in a thread of its own that waits for the second half.

    Args:
        manager: the hooks.
        threads: where it runs.
    """

    def __init__(self, manager: HookManager, threads: Threads) -> None:
        self._manager, self._threads = manager, threads
        self._entered: Future[dict[str, Any]] = Future()
        self._ending: Future[Any] = Future()
        self._ended: Future[Any]

    def begin(self, name: str, arguments: Any, seconds: float, **fields: Any) -> dict[str, Any]:
        """Dispatch what comes before the call; return the arguments that it is to have.

        Args:
            name: the tool's name.
            arguments: its arguments, a mapping or a JSON text.
            seconds: how long that may take.
            fields: fields of the context.

        Raises:
            HookAborted: a policy denied the call; it has ended.
            AnsweredError: a wrap answered in its place; it has ended.
            TooLateError: it took too long; the call is abandoned.
            CrowdedError: there are too many calls.
        """
        call = self._manager.call_tool
        first: Future[Any] = Future()

        def run() -> Any:
            return call(name, arguments, self._body, **fields)

        def settled(future: Future[Any]) -> None:
            if not first.done():
                first.set_result(future)

        self._entered.add_done_callback(settled)
        self._ended = self._threads.start(run)
        self._ended.add_done_callback(settled)
        try:
            future = result_of(first, seconds)
        except BaseException:
            self.abandon()
            raise
        if future is self._entered:
            arguments_to_use: dict[str, Any] = future.result()
            return arguments_to_use
        raise AnsweredError(future.result())

    def end(self, value: Any, seconds: float, error: str | None = None) -> Any:
        """Dispatch what comes after the call; return what the client goes on with.

        Args:
            value: the tool's result.
            seconds: how long that may take.
            error: the text of a failed call, which is then its result.

        Raises:
            HookAborted: a policy withholds the result.
            TooLateError: it took too long.
        """
        if error is None:
            self._end(value)
        else:
            self._end(problem=BodyFailed(value, ToolFailedError(error)))
        return result_of(self._ended, seconds)

    def abandon(self) -> None:
        """End the call, as cancelled, without waiting for that."""
        self._end(problem=AbandonedError())

    def _end(self, value: Any = None, problem: Exception | None = None) -> None:
        try:
            if problem is None:
                self._ending.set_result(value)
            else:
                self._ending.set_exception(problem)
        except Exception:  # noqa: BLE001 - it has been told already, and the first word counts
            return

    def _body(self, arguments: dict[str, Any]) -> Any:
        if self._entered.done():
            raise RuntimeError("a call in two halves runs once: no wrap can call it again")
        if not self._ending.done():
            self._entered.set_result(arguments)
        return self._ending.result()


class Calls:
    """The open calls, found again by what both halves of one tell.

    Args:
        most: how many may be open; the oldest is abandoned for one more.
    """

    def __init__(self, most: int = MOST_OPEN) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._open: OrderedDict[int, tuple[OpenCall, frozenset[Any]]] = OrderedDict()
        self._by_key: dict[Any, list[int]] = {}
        self._next = 0

    def add(self, call: OpenCall, *keys: Any) -> None:
        """Keep a call under its keys; calls without ids may share one."""
        surplus: list[OpenCall] = []
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._open[number] = (call, frozenset(keys))
            for key in frozenset(keys):
                self._by_key.setdefault(key, []).append(number)
            while len(self._open) > self._most:
                surplus.append(self._remove(next(iter(self._open))))
        for old in surplus:
            old.abandon()

    def take(self, key: Any) -> OpenCall | None:
        """Return the oldest call with a key, which is open no longer; None when there is none."""
        with self._lock:
            numbers = self._by_key.get(key)
            return self._remove(numbers[0]) if numbers else None

    def abandon_all(self, session: str | None = None) -> None:
        """Abandon the calls of a session, or all; a key is a tuple that begins with its session."""
        with self._lock:
            gone = [
                number
                for number, (_, keys) in self._open.items()
                if session is None or any(key[0] == session for key in keys)
            ]
            calls = [self._remove(number) for number in gone]
        for call in calls:
            call.abandon()

    def __len__(self) -> int:
        return len(self._open)

    def _remove(self, number: int) -> OpenCall:
        call, keys = self._open.pop(number)
        for key in keys:
            left = [other for other in self._by_key[key] if other != number]
            if left:
                self._by_key[key] = left
            else:
                del self._by_key[key]
        return call
