"""The way of events from a request to who reads its stream: handed over, not piled up."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Final

from .errors import AgentProtocolError

__all__ = ["END", "EventChannel"]

END: Final[Any] = object()
"""Returned by :meth:`EventChannel.get` when no event is left and none will come."""


class EventChannel:
    """Events in order; who puts one goes on when the reader asks for the next."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Any, asyncio.Future[None]]] = deque()
        self._taken: asyncio.Future[None] | None = None
        self._wakeup = asyncio.Event()
        self._closed = False
        #: Whether nobody reads any more.
        self.is_left = False
        self.finished = False

    async def put(self, event: Any, *, last: bool = False) -> None:
        """Hand over an event.

        Args:
            event: the event.
            last: nothing follows it, so nobody waits until it has been read.

        Raises:
            AgentProtocolError: the last event was put already.
        """
        if self.is_left:
            return  # what cleans up after a reader that left must not wait for it
        if self.finished or self._closed:
            raise AgentProtocolError("the stream has ended, so no event can be put into it")
        taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((event, taken))
        self._wakeup.set()
        if last:
            self.finished = True
        else:
            await taken

    async def get(self) -> Any:
        """Return the next event, or END; the one before counts as dealt with."""
        if self._taken is not None and not self._taken.done():
            self._taken.set_result(None)
        self._taken = None
        while True:
            while self._waiting:
                event, taken = self._waiting.popleft()
                if not taken.cancelled():
                    self._taken = taken
                    return event
            if self._closed:
                return END
            self._wakeup.clear()
            await self._wakeup.wait()

    def close(self) -> None:
        """Say that no further event comes."""
        self._closed = True
        self._wakeup.set()

    def leave(self) -> None:
        """Say that nobody reads any more: events are dropped, and nobody waits."""
        self.is_left = True

    def go_on(self) -> None:
        """Let what is about to begin begin only while somebody reads.

        Raises:
            asyncio.CancelledError: the reader left before the last event. The request was cancelled
                then, and a hook may have swallowed that.
        """
        if self.is_left and not self.finished:
            raise asyncio.CancelledError("nobody reads the events of this request any more")
