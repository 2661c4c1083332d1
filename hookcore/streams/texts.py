"""The texts of a streamed response, and the events that must not overtake them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..streaming import Key, Parts, PartsCodec, StreamText
from ..waiting.requests import Steps
from .windows import Windows

__all__ = ["Leaving", "Text"]


class Text:
    """One text of the response: what has come of it, and what was let through."""

    __slots__ = ("at", "came", "carrier", "length", "sent", "thinking", "windows")

    def __init__(self, windows: Windows, *, thinking: bool = False) -> None:
        self.windows = windows
        self.thinking = thinking
        self.came: list[str] = []
        self.sent: list[str] = []
        #: How many characters have come.
        self.length = 0
        #: The last event that had a piece of it, its parts, and which of them that was.
        self.carrier: Any = None
        self.at: tuple[Parts, int] = ((), 0)

    def take(self, text: str, *, last: bool = False) -> Steps:
        """Take another piece; return what is let through."""
        self.came.append(text)
        seen: str = yield from self.windows.feed(text, last=last)
        self.length += len(text)
        self.sent.append(seen)
        return seen

    def holds(self, text: str) -> bool:
        """Take another piece if it is too little to be shown to a hook; return whether it was."""
        if not self.windows.holds(text):
            return False
        self.came.append(text)
        self.length += len(text)
        return True

    def rest(self, codec: PartsCodec, texts: dict[Key, Text]) -> Steps:
        """Let out what is held; return an event that carries it, None when nothing is.

        Args:
            codec: writes the event.
            texts: all texts, for what the event repeats of others.
        """
        if not self.windows.held:
            return None
        seen = yield from self.windows.feed("", last=True)
        if not seen:
            return None
        self.sent.append(seen)
        parts, index = self.at
        given = []
        for place, part in enumerate(parts):
            text = seen if place == index else ""
            if isinstance(part, StreamText):
                if part.repeats:
                    text = "".join(texts[part.key].sent)
                part = replace(part, text=text)  # noqa: PLW2901
            given.append(part)
        return codec.with_parts(self.carrier, given)


class _Waiting:
    """An event that must not overtake the texts before it, or a text behind such an event."""

    __slots__ = ("event", "of", "since")

    def __init__(self, event: Any, texts: Iterable[Text], of: Sequence[Text] = ()) -> None:
        self.event = event
        #: The texts that it is a piece of: what of them has been let through has not left yet.
        self.of = of
        #: Each text that is held back in part, and how much of it had come.
        self.since = [(text, text.length) for text in texts if text.windows.held]

    def waits(self) -> bool:
        """Return whether text from before the event is held back still."""
        return any(text.length - at < text.windows.held for text, at in self.since)

    def waits_for(self, text: Text) -> bool:
        """Return whether it is this text that the event waits for."""
        return any(other is text for other, _ in self.since)


class Leaving:
    """The order in which events leave.

    Args:
        keeps: whether somebody needs the events that have left.
    """

    def __init__(self, *, keeps: bool) -> None:
        self.texts: dict[Key, Text] = {}
        self.waiting: deque[_Waiting] = deque()
        #: The events that may leave, until somebody takes them.
        self.out: list[Any] = []
        #: The events that have left, where somebody needs them.
        self.sent: list[Any] | None = [] if keeps else None

    def taken(self) -> list[Any]:
        """Return the events that may leave, and forget them."""
        out = self.out
        if not out:
            return out
        self.out = []
        if self.sent is not None:
            self.sent += out
        return out

    def queue(self, event: Any) -> None:
        """Let an event out when all text before it is."""
        waiting = _Waiting(event, self.texts.values())
        if self.waiting or waiting.waits():
            self.waiting.append(waiting)
        else:
            self.out.append(event)

    def queue_text(self, event: Any, texts: Sequence[Text]) -> None:
        """Let out a piece of some texts: ahead of what waits for these, behind all else."""
        waiting = self.waiting
        ahead = not waiting or (
            any(map(waiting[0].waits_for, texts))
            and not any(text in other.of for text in texts for other in waiting)
        )
        if ahead:
            self.out.append(event)
        else:
            waiting.append(_Waiting(event, (), texts))

    def unblock(self) -> None:
        """Let out what need not wait any more."""
        while self.waiting and not self.waiting[0].waits():
            self.out.append(self.waiting.popleft().event)
