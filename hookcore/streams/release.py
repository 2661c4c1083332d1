"""The events of a streamed response that may leave while it comes, and their order.

Written without waiting for anything itself: events go in, those that may leave come out, and what
has to be waited for in between are steps, which sync and async streams drive alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from hookcore_specs import ModelResponse, ToolCall, ToolCallChunk

from ..waiting.requests import Steps
from .assembling import arguments_text, own_chunk, rewritten
from .codec import CallPart, EndPart, Key, Part, Parts, StreamCodec, TextPart
from .judges import Judges
from .reading import plain_types, reading
from .toolpieces import HeldCall, ToolPieces, parsed_call
from .windows import Windows

__all__ = ["Release"]


class _Text:
    """One text of the response: what has come of it, and what was let through."""

    __slots__ = ("at", "came", "carrier", "length", "sent", "thinking", "windows")

    def __init__(self, windows: Windows) -> None:
        self.windows = windows
        self.came: list[str] = []
        self.sent: list[str] = []
        #: How many characters have come.
        self.length = 0
        #: The last event that had a piece of it, its parts, and which of them that was.
        self.carrier: Any = None
        self.at: tuple[Parts, int] = ((), 0)
        self.thinking = False

    def take(self, text: str, *, last: bool = False) -> Steps:
        """Take another piece; return what is let through."""
        self.came.append(text)
        seen: str = yield from self.windows.feed(text, last=last)
        self.length += len(text)
        self.sent.append(seen)
        return seen


_WHOLE: tuple[Parts, int] = ((TextPart(""),), 0)


class _Waiting:
    """An event that must not overtake the texts before it, or a text behind such an event."""

    __slots__ = ("event", "of", "since")

    def __init__(self, event: Any, texts: Iterable[_Text], of: Sequence[_Text] = ()) -> None:
        self.event = event
        #: The texts that it is a piece of: what of them has been let through has not left yet.
        self.of = of
        #: Each text that is held back in part, and how much of it had come.
        self.since = [(text, text.length) for text in texts if text.windows.held]

    def waits(self) -> bool:
        """Return whether text from before the event is held back still."""
        return any(text.length - at < text.windows.held for text, at in self.since)

    def waits_for(self, text: _Text) -> bool:
        """Return whether it is this text that the event waits for."""
        return any(other is text for other, _ in self.since)


class Release:
    """The way out for a stream's events: text as the window hooks let it through.

    Tool calls wait until they are whole. What is no text waits until the text before it has left;
    it never makes the windows give up what they hold, since a secret could be split around it.
    What repeats text that has been streamed says what was let through.

    Args:
        codec: how to read and write the events.
        judges: the hooks of the response; None without any.
        passes: whether nobody needs the events that have left, to put the response together.
    """

    def __init__(self, codec: StreamCodec, judges: Judges | None, *, passes: bool) -> None:
        self._own_codec = codec
        self._codec = reading(codec)
        self._judges = judges
        self._windows = judges is not None and bool(judges.windows)
        self._plain = plain_types(codec)
        #: The types whose values need not be pushed while no tool call waits: they may leave.
        self.plain: frozenset[type] = self._plain if passes and not self._windows else frozenset()
        self._pieces = ToolPieces()
        #: The tool calls that wait until they are whole.
        self.held = self._pieces.held
        self._texts: dict[Key, _Text] = {}
        self._main: _Text | None = None
        self._thinks = 0
        self._waiting: deque[_Waiting] = deque()
        #: The calls that have left, as they came and as they were let through.
        self._calls: list[tuple[str, Any, ToolCall]] = []
        #: The events that may leave, until somebody takes them.
        self.out: list[Any] = []
        #: The events that have left, where somebody needs them.
        self.sent: list[Any] | None = None if passes else []

    def push(self, event: Any) -> Steps | None:
        """Take an event that has come; what may leave then is in ``out``.

        Returns:
            The steps to be driven first, None where nothing has to be waited for.

        Raises:
            HookAborted: a hook withholds it, or a tool call's arguments are no JSON object. The
                steps raise that too.
        """
        if type(event) not in self._plain or self.held:
            return self._driven(self._taken(event))
        if not self._windows:
            self.out.append(event)
            return None
        if self._waiting or self._thinks:
            return self._taken(event)
        said = event if type(event) is str else event.text
        text = self._main
        if text is None:
            assert self._judges is not None  # noqa: S101 - there are windows, so there are judges
            text = self._main = self._texts.setdefault((), _Text(self._judges.text_windows()))
        text.carrier, text.at = event, _WHOLE
        if text.windows.holds(said):
            text.came.append(said)
            text.length += len(said)
            return None
        return self._said(text, said, event)

    def _said(self, text: _Text, said: str, event: Any) -> Steps:
        """Let out a plain piece of the one text while nothing else is held."""
        seen = yield from text.take(said)
        if seen:
            self.out.append(event if seen == said else self._codec.with_text(event, seen))

    def end(self, *, calls: bool = True) -> Steps | None:
        """Let out all that is still held, now that nothing can come after it; like :meth:`push`.

        Args:
            calls: whether tool calls are among it; after an error they may not be whole.
        """
        return self._driven(self._ended(calls=calls))

    def _driven(self, steps: Steps) -> Steps | None:
        if self._windows:
            return steps
        for request in steps:
            raise RuntimeError(f"without windows there is nothing to wait for: {request!r}")
        return None

    def taken(self) -> list[Any]:
        """Return the events that may leave, and forget them."""
        out = self.out
        if not out:
            return out
        self.out = []
        if self.sent is not None:
            self.sent += out
        return out

    # One event

    def _taken(self, event: Any) -> Steps:
        parts = self._codec.parts(event)
        if parts is None:
            if self._judges is not None:
                self._judges.unread(event)
            parts = ()
        if not self._windows and len(parts) <= 1:
            yield from self._one(event, parts)
            return
        has_call = any(isinstance(part, CallPart) and not part.repeats for part in parts)
        if not (self._windows or has_call):
            yield from self._one(event, parts)
            return
        pieces = self._codec.split(event)
        if len(pieces) == 1:
            yield from self._one(event, parts)
            return
        for piece in pieces:
            yield from self._one(piece, self._codec.parts(piece) or ())

    def _one(self, event: Any, parts: Parts) -> Steps:
        ends = [part for part in parts if isinstance(part, EndPart)]
        call = _piece(parts)
        if call is not None and self._pieces.take(event, call):
            for end in ends:
                yield from self._let_calls(self._pieces.end(end))
            self._unblock()
            return
        if self.held:
            yield from self._let_calls(self._pieces.release())
        if ends:
            yield from self._end_texts(ends, parts)
        if any(isinstance(part, (TextPart, CallPart)) for part in parts):
            yield from self._content(event, parts, ends)
        else:
            self._queue(event)
        self._unblock()

    def _content(self, event: Any, parts: Parts, ends: Sequence[EndPart]) -> Steps:
        """Let out an event with texts, or with what repeats texts and calls."""
        if not self._windows:
            for part in parts:
                if isinstance(part, CallPart) and part.json:
                    parsed_call(part.name, part.arguments)
            self._queue(event)
            return
        self._unblock()
        given: list[Part] = []
        for index, part in enumerate(parts):
            if isinstance(part, TextPart):
                last = any(end.ends(part.key) for end in ends)
                given.append((yield from self._seen(event, parts, index, last=last)))
            elif isinstance(part, CallPart):
                given.append((yield from self._recalled(part)))
            else:
                given.append(part)
        if not ends and _is_emptied(parts, given):
            return
        if given != list(parts):
            event = self._codec.with_parts(event, given)
        going_on = [self._texts[key] for key in _going_on(parts, ends)]
        if going_on:
            self._queue_text(event, going_on)
        else:
            self._queue(event)

    # Texts

    def _seen(self, event: Any, parts: Parts, index: int, *, last: bool) -> Steps:
        """Return the text part at a place as it is let through.

        Args:
            event: the event.
            parts: its parts.
            index: which one.
            last: whether nothing comes after it.
        """
        part = parts[index]
        assert isinstance(part, TextPart)  # noqa: S101 - the caller has looked
        text: _Text = yield from self._text_of(part)
        if not last and (not part.repeats or text.carrier is not event):
            text.carrier, text.at = event, (parts, index)
        if part.repeats:
            seen = yield from self._repeated(text, part.text, last=last)
        else:
            seen = yield from text.take(part.text, last=last)
        return part if seen == part.text else replace(part, text=seen)

    def _text_of(self, part: TextPart) -> Steps:
        """Return the text that a part belongs to."""
        text = self._texts.get(part.key)
        if text is None:
            assert self._judges is not None  # noqa: S101 - there are windows, so there are judges
            text = self._texts[part.key] = _Text(self._judges.text_windows())
            text.thinking = part.thinking
            self._thinks += part.thinking
        if self._thinks and not part.thinking:
            for key, other in list(self._texts.items()):
                if other.thinking and other.windows.held and key[:1] == part.key[:1]:
                    yield from self._flush(other)  # the model has begun to answer
        return text

    def _repeated(self, text: _Text, said: str, *, last: bool) -> Steps:
        """Return what was let through of a text that is repeated."""
        came = "".join(text.came)
        if said == came:
            return "".join(text.sent)
        if not last and said.startswith(came):
            yield from text.take(said[len(came) :])
            return "".join(text.sent)
        # It says something else, and none of that may go unseen.
        assert self._judges is not None  # noqa: S101 - there are windows, so there are judges
        return (yield from self._judges.text_windows().feed(said, last=True))

    def _end_texts(self, ends: Sequence[EndPart], parts: Parts) -> Steps:
        """Let out what is held of the texts that are over, and the calls."""
        going_on = [part.key for part in parts if isinstance(part, TextPart) and not part.repeats]
        for end in ends:
            for key, text in self._texts.items():
                if end.ends(key) and key not in going_on:
                    yield from self._flush(text)
            yield from self._let_calls(self._pieces.end(end))

    def _flush(self, text: _Text) -> Steps:
        if not text.windows.held:
            return
        seen = yield from text.windows.feed("", last=True)
        if not seen:
            return
        text.sent.append(seen)
        parts, index = text.at
        given = [
            replace(part, text="") if isinstance(part, TextPart) and not part.repeats else part
            for part in parts
        ]
        for place, part in enumerate(given):
            if isinstance(part, TextPart) and part.repeats:
                known = self._texts[part.key]
                given[place] = replace(part, text="".join(known.sent))
            elif place == index and isinstance(part, TextPart):
                given[place] = replace(part, text=seen)
        event = self._codec.with_parts(text.carrier, given)
        self._queue_text(event, [text])
        self._unblock()

    # Tool calls

    def _let_calls(self, calls: list[tuple[Key, HeldCall]]) -> Steps:
        for _, held in calls:
            call = held.made()
            given = yield from self._judged(call, json=held.json)
            own = all(isinstance(event, ToolCallChunk) for event in held.events)
            if own:
                events: Any = [own_chunk(held.events[0].index, given)]
            elif given is call:
                events = held.events
            elif hasattr(self._codec, "rewritten_call"):
                events = self._codec.rewritten_call(ModelResponse("", [given]), held.events)
            else:
                events = rewritten(self._codec, ModelResponse("", [given]), held.events)
            for event in events:
                self._queue(event)

    def _judged(self, call: ToolCall, *, json: bool) -> Steps:
        """Return a call as the window hooks let it through; the same one when they change nothing.

        Raises:
            HookAborted: they withhold it, or its arguments are no JSON object any more.
        """
        if not self._windows or self._judges is None:
            return call
        given: ToolCall = yield from self._judges.call(replace(call))
        if given == call:
            given = call
        elif json:
            parsed_call(given.name, given.arguments)
            given = replace(given, arguments=arguments_text(given))
        self._calls.append((call.name, _value(call.arguments, json=json), given))
        return given

    def _recalled(self, part: CallPart) -> Steps:
        """Return the part that repeats a call, as the call was let through."""
        value = _value(part.arguments, json=part.json)
        call: ToolCall | None = None
        for name, known, given in self._calls:
            if known == value and part.name in (None, name):
                call = given
        if call is None:
            came = ToolCall(part.name or "", part.arguments, part.id)
            call = yield from self._judged(came, json=part.json)
        if part.name in (None, call.name) and _value(call.arguments, json=part.json) == value:
            return part
        return replace(part, name=part.name and call.name, arguments=arguments_text(call))

    # The way out

    def _queue(self, event: Any) -> None:
        """Let an event out when all text before it is."""
        waiting = _Waiting(event, self._texts.values())
        if self._waiting or waiting.waits():
            self._waiting.append(waiting)
        else:
            self.out.append(event)

    def _queue_text(self, event: Any, texts: Sequence[_Text]) -> None:
        """Let out a piece of some texts: ahead of what waits for these, behind all else."""
        waiting = self._waiting
        ahead = not waiting or (
            any(map(waiting[0].waits_for, texts))
            and not any(text in other.of for text in texts for other in waiting)
        )
        if ahead:
            self.out.append(event)
        else:
            waiting.append(_Waiting(event, (), texts))

    def _unblock(self) -> None:
        while self._waiting and not self._waiting[0].waits():
            self.out.append(self._waiting.popleft().event)

    def _ended(self, *, calls: bool) -> Steps:
        for text in list(self._texts.values()):
            yield from self._flush(text)
        self._unblock()
        if calls:
            yield from self._let_calls(self._pieces.end(EndPart()))
        self._unblock()


def _piece(parts: Parts) -> CallPart | None:
    """Return the one piece of a tool call in an event that has nothing else; None for any other."""
    others = [part for part in parts if not (isinstance(part, EndPart) and part.key)]
    if len(others) == 1 and isinstance(others[0], CallPart):
        return others[0]
    return None


def _is_emptied(parts: Parts, given: Sequence[Part]) -> bool:
    """Return whether nothing is left of the new texts that an event had."""
    new = [
        (part.text, left.text)
        for part, left in zip(parts, given, strict=True)
        if isinstance(part, TextPart) and isinstance(left, TextPart) and not part.repeats
    ]
    return any(text for text, _ in new) and not any(left for _, left in new)


def _going_on(parts: Parts, ends: Sequence[EndPart]) -> list[Key]:
    """Return the keys of the texts in an event that more may come of."""
    return [
        part.key
        for part in parts
        if isinstance(part, TextPart)
        and not (part.repeats and any(end.ends(part.key) for end in ends))
    ]


def _value(arguments: Any, *, json: bool) -> Any:
    return parsed_call(None, arguments) if json else arguments
