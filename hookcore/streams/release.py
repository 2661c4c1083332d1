"""The events of a streamed response that may leave while it comes, and their order.

Written without waiting for anything itself: events go in, those that may leave come out, and what
has to be waited for in between are steps, which sync and async streams drive alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hookcore_specs import ModelResponse

from ..dispatch.copying import copy_payload
from ..streaming import Key, Part, Parts, StreamCall, StreamCodec, StreamEnd, StreamText
from ..waiting.requests import Steps
from .calls import Calls
from .judges import Judges
from .reading import plain_types, reading
from .texts import Leaving, Text
from .toolpieces import ToolPieces, parsed_call
from .windows import Windows

__all__ = ["Release"]

_WHOLE: tuple[Parts, int] = ((StreamText(""),), 0)


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
        self._codec = reading(codec)
        self._judges = judges
        seeing = None if judges is None or not judges.windows else judges
        self._windows = seeing is not None
        self._plain = plain_types(codec)
        #: The types whose values need not be pushed while no tool call waits: they may leave.
        self.plain: frozenset[type] = self._plain if passes and not self._windows else frozenset()
        self._pieces = ToolPieces()
        #: The tool calls that wait until they are whole.
        self.held = self._pieces.held
        self._calls = Calls(self._codec, seeing)
        self._leaving = Leaving(keeps=not passes)
        self._texts = self._leaving.texts
        self._main: Text | None = None
        self._thinks = 0

    @property
    def sent(self) -> list[Any] | None:
        """The events that have left, where somebody needs them."""
        return self._leaving.sent

    def taken(self) -> list[Any]:
        """Return the events that may leave, and forget them."""
        return self._leaving.taken()

    def push(self, event: Any) -> Steps | None:
        """Take an event that has come; :meth:`taken` has what may leave then.

        Returns:
            The steps to be driven first, None where nothing has to be waited for.

        Raises:
            HookAborted: a hook withholds it, or a tool call's arguments are no JSON object. The
                steps raise that too.
        """
        if type(event) not in self._plain or self.held:
            return self._driven(self._taken(event))
        if not self._windows:
            self._leaving.out.append(event)
            return None
        if self._leaving.waiting or self._thinks:
            return self._taken(event)
        said = event if type(event) is str else event.text
        text = self._main
        if text is None:
            text = self._main = self._texts.setdefault((), Text(self._new_windows()))
        text.carrier, text.at = event, _WHOLE
        return None if text.holds(said) else self._said(text, said, event)

    def _said(self, text: Text, said: str, event: Any) -> Steps:
        """Let out a plain piece of the one text while nothing else is held."""
        seen = yield from text.take(said)
        if seen:
            self._leaving.out.append(event if seen == said else self._codec.with_text(event, seen))

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
        has_call = any(isinstance(part, StreamCall) and not part.repeats for part in parts)
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
        ends = [part for part in parts if isinstance(part, StreamEnd)]
        call = _piece(parts)
        if call is not None and self._pieces.take(event, call):
            for end in ends:
                yield from self._let_calls(self._pieces.end(end))
            self._leaving.unblock()
            return
        if self.held:
            yield from self._let_calls(self._pieces.release())
        if ends:
            yield from self._end_texts(ends, parts)
        if any(isinstance(part, (StreamText, StreamCall)) for part in parts):
            yield from self._content(event, parts, ends)
        else:
            self._leaving.queue(event)
        self._leaving.unblock()

    def _content(self, event: Any, parts: Parts, ends: Sequence[StreamEnd]) -> Steps:
        """Let out an event with texts, or with what repeats texts and calls."""
        if not self._windows:
            for part in parts:
                if isinstance(part, StreamCall) and part.repeats and part.json:
                    parsed_call(part.name, part.arguments)
            self._leaving.queue(event)
            return
        self._leaving.unblock()
        given: list[Part] = []
        for index, part in enumerate(parts):
            if isinstance(part, StreamText):
                last = any(end.ends(part.key) for end in ends)
                given.append((yield from self._seen(event, parts, index, last=last)))
            elif isinstance(part, StreamCall):
                given.append((yield from self._calls.recalled(part)))
            else:
                given.append(part)
        if not ends and _is_emptied(parts, given):
            return
        if given != list(parts):
            event = self._codec.with_parts(event, given)
        # Who made a response may go on to write in it, which nobody has judged.
        event = copy_payload(event) if isinstance(event, ModelResponse) else event
        going_on = [self._texts[key] for key in _going_on(parts, ends)]
        if going_on:
            self._leaving.queue_text(event, going_on)
        else:
            self._leaving.queue(event)

    def _let_calls(self, calls: list[Any]) -> Steps:
        for event in (yield from self._calls.leaving(calls)):
            self._leaving.queue(event)

    def _ended(self, *, calls: bool) -> Steps:
        for text in list(self._texts.values()):
            yield from self._flush(text)
        self._leaving.unblock()
        if calls:
            yield from self._let_calls(self._pieces.end(StreamEnd()))
        self._leaving.unblock()

    # Texts

    def _seen(self, event: Any, parts: Parts, index: int, *, last: bool) -> Steps:
        """Return the text part at a place as it is let through.

        Args:
            event: the event.
            parts: its parts.
            index: which one.
            last: whether nothing comes after it.
        """
        part: Any = parts[index]
        text: Text = yield from self._text_of(part)
        if not last and (not part.repeats or text.carrier is not event):
            text.carrier, text.at = event, (parts, index)
        if part.repeats:
            seen = yield from self._repeated(text, part.text, last=last)
        else:
            seen = yield from text.take(part.text, last=last)
        return part if seen == part.text else replace(part, text=seen)

    def _text_of(self, part: StreamText) -> Steps:
        """Return the text that a part belongs to."""
        text = self._texts.get(part.key)
        if text is None:
            text = self._texts[part.key] = Text(self._new_windows(), thinking=part.thinking)
            self._thinks += part.thinking
        if self._thinks and not part.thinking:
            for key, other in list(self._texts.items()):
                if other.thinking and key[:1] == part.key[:1]:
                    yield from self._flush(other)  # the model has begun to answer
        return text

    def _new_windows(self) -> Windows:
        assert self._judges is not None  # noqa: S101 - only where hooks see the text pass
        return self._judges.text_windows()

    def _repeated(self, text: Text, said: str, *, last: bool) -> Steps:
        """Return what was let through of a text that is repeated."""
        came = "".join(text.came)
        if said == came:
            return "".join(text.sent)
        if not last and said.startswith(came):
            yield from text.take(said[len(came) :])
            return "".join(text.sent)
        # It says something else, and none of that may go unseen.
        return (yield from self._new_windows().feed(said, last=True))

    def _end_texts(self, ends: Sequence[StreamEnd], parts: Parts) -> Steps:
        """Let out what is held of the texts that are over, and the calls."""
        going_on = [part.key for part in parts if isinstance(part, StreamText) and not part.repeats]
        for end in ends:
            for key, text in self._texts.items():
                if end.ends(key) and key not in going_on:
                    yield from self._flush(text)
            yield from self._let_calls(self._pieces.end(end))

    def _flush(self, text: Text) -> Steps:
        event = yield from text.rest(self._codec, self._texts)
        if event is not None:
            self._leaving.queue_text(event, [text])
            self._leaving.unblock()


def _piece(parts: Parts) -> StreamCall | None:
    """Return the one piece of a tool call in an event that has nothing else; None for any other."""
    others = [part for part in parts if not (isinstance(part, StreamEnd) and part.key)]
    if len(others) == 1 and isinstance(others[0], StreamCall):
        return others[0]
    return None


def _is_emptied(parts: Parts, given: Sequence[Part]) -> bool:
    """Return whether nothing is left of the new texts that an event had."""
    new = [
        (part.text, left.text)
        for part, left in zip(parts, given, strict=True)
        if isinstance(part, StreamText) and isinstance(left, StreamText) and not part.repeats
    ]
    return any(text for text, _ in new) and not any(left for _, left in new)


def _going_on(parts: Parts, ends: Sequence[StreamEnd]) -> list[Key]:
    """Return the keys of the texts in an event that more may come of."""
    return [
        part.key
        for part in parts
        if isinstance(part, StreamText)
        and not (part.repeats and any(end.ends(part.key) for end in ends))
    ]
