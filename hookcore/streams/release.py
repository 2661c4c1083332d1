"""The release of a streamed response: which events may leave while it comes, in which order."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from ..streaming import StreamCodec
from ..waiting.requests import Steps
from .toolpieces import ToolPieces, check_tool_calls
from .window import Windows

__all__ = ["Release"]


class _Waiting:
    """An event that must not overtake the text before it."""

    __slots__ = ("event", "since")

    def __init__(self, event: Any) -> None:
        self.event = event
        #: How many characters have come after it.
        self.since = 0


class Release:
    """The way out for a stream's events: text as the window hooks let it through.

    Tool calls wait until they are whole. What is no text waits until the text before it has left;
    it never makes the windows give up what they hold, since a secret could be split around it.

    Args:
        codec: how to read and write the events.
        windows: the window hooks; None without any.
        run: waits for steps where the stream was started.
    """

    def __init__(
        self, codec: StreamCodec, windows: Windows | None, run: Callable[[Steps], Awaitable[Any]]
    ) -> None:
        self._codec = codec
        self._windows = windows
        self._run = run
        self._pieces = ToolPieces(codec)
        self._waiting: deque[_Waiting] = deque()
        self._came: list[str] = []
        self._last_text: Any = ""
        #: The events that were let out.
        self.sent: list[Any] = []

    async def take(self, event: Any) -> list[Any]:
        """Return the events that may leave now that ``event`` has come.

        Raises:
            HookAborted: a hook withholds the text, or a tool call's arguments are no JSON object.
        """
        if self._pieces.take(event):
            return []
        if self._codec.is_response(event):
            flushed = await self.flush()
            return [*flushed, *self._let_out([await self._summed(event)])]
        self._queue(self._pieces.release())
        text = self._codec.text(event)
        if not text:
            self._queue([event])
            return self._let_out(self._unblocked())
        ahead = self._unblocked()
        self._last_text = event
        self._came.append(text)
        seen = await self._seen(text)
        for waiting in self._waiting:
            waiting.since += len(text)
        leaving = [self._codec.with_text(event, seen)] if seen else []
        return self._let_out([*ahead, *leaving, *self._unblocked()])

    async def flush(self, *, calls: bool = True) -> list[Any]:
        """Return all that is still held, now that nothing can come after it any more.

        Args:
            calls: whether tool calls are among it; after an error they may not be whole.
        """
        whole = self._pieces.release(last=True) if calls else []
        text = "" if self._windows is None else await self._seen("", last=True)
        leaving = [self._codec.with_text(self._last_text, text)] if text else []
        leaving += [waiting.event for waiting in self._waiting]
        self._waiting.clear()
        return self._let_out([*leaving, *whole])

    def _queue(self, events: list[Any]) -> None:
        self._waiting.extend(map(_Waiting, events))

    def _unblocked(self) -> list[Any]:
        held = 0 if self._windows is None else self._windows.held
        events: list[Any] = []
        while self._waiting and self._waiting[0].since >= held:
            events.append(self._waiting.popleft().event)
        return events

    async def _seen(self, text: str, *, last: bool = False) -> str:
        if self._windows is None:
            return text
        seen: str = await self._run(self._windows.feed(text, last=last))
        return seen

    async def _summed(self, event: Any) -> Any:
        """Return an event that sums up, with the text that was really let through."""
        check_tool_calls(event)
        if self._windows is None:
            return event
        text = self._codec.response_text(event)
        if text == "".join(self._came):
            text = "".join(self._codec.text(item) or "" for item in self.sent)
        else:  # it has text that was never streamed
            text = await self._seen(text, last=True)
        return self._codec.with_response_text(event, text)

    def _let_out(self, events: list[Any]) -> list[Any]:
        self.sent += events
        return events
