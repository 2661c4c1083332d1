"""A host's word on its stream events: one text or one piece each, or any number of parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from hookcore_specs import ToolCallChunk

from .assembling import assembled
from .parts import Part, Parts, StreamCall, StreamEnd, StreamText
from .rewriting import rewritten

__all__ = ["PartsCodec", "StreamCodec"]


class StreamCodec(Protocol):
    """A host's word on events of its own, for ``stream_model`` and ``astream_model`` about them.

    These methods are enough where an event holds one text, or one piece of a tool call, or the
    whole response. A codec whose events hold several parts, thinking, or text that has been
    streamed before derives from :class:`PartsCodec` and has ``parts`` and ``with_parts`` instead.
    A codec without ``parts`` answers for all events of its host: those that it reads nothing in
    hold nothing that a policy would have to judge.
    """

    def text(self, event: Any) -> str | None:
        """Return the text of a text event, None for any other."""
        ...

    def with_text(self, event: Any, text: str) -> Any:
        """Return an event like ``event`` with another text."""
        ...

    def tool_piece(self, event: Any) -> ToolCallChunk | None:
        """Return the piece of a tool call that an event carries, None for any other."""
        ...

    def is_response(self, event: Any) -> bool:
        """Return whether an event is the whole response, which sums the stream up."""
        ...

    def response_text(self, event: Any) -> str:
        """Return the text of a whole response."""
        ...

    def with_response_text(self, event: Any, text: str) -> Any:
        """Return a whole response like ``event`` with another text."""
        ...

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the response that the events amount to."""
        ...

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the events that stand for a response which replaced that of ``original``."""
        ...


class PartsCodec:
    """A codec that says of each event which parts it has; all else follows from that.

    Derive from it, and write :meth:`parts` and :meth:`with_parts`; :meth:`split` too where an
    event may hold a text and something else that must come only once.
    """

    def parts(self, event: Any) -> Parts | None:
        """Return what an event is made of, in the order in which it counts.

        Args:
            event: the event.

        Returns:
            Its texts and pieces of tool calls, and an :class:`StreamEnd` before the texts that it
            repeats at their end; an empty sequence for an event that holds nothing to judge; None
            for one that the codec does not know.
        """
        raise NotImplementedError

    def with_parts(self, event: Any, parts: Parts) -> Any:
        """Return an event like ``event`` with other parts.

        Args:
            event: the event, which stays as it is.
            parts: as many as :meth:`parts` gives, in the same order, with other texts, names or
                arguments.
        """
        raise NotImplementedError

    def split(self, event: Any) -> Sequence[Any]:
        """Return events that together say what ``event`` says, each one kind of thing.

        Texts may have to leave later, and calls be held, so an event has only texts, or a piece of
        one tool call, or what must come only once (a reason to finish, the usage): that comes last.

        Args:
            event: the event.
        """
        return (event,)

    def text(self, event: Any) -> str | None:
        """Return the new text of an event, None where it has none."""
        texts = [
            part.text
            for part in self.parts(event) or ()
            if isinstance(part, StreamText) and not part.repeats
        ]
        return "".join(texts) if texts else None

    def with_text(self, event: Any, text: str) -> Any:
        """Return an event like ``event`` whose new text is another one."""
        parts: list[Part] = []
        left = text
        for part in self.parts(event) or ():
            if isinstance(part, StreamText) and not part.repeats:
                parts.append(replace(part, text=left))
                left = ""
            else:
                parts.append(part)
        return self.with_parts(event, parts)

    def tool_piece(self, event: Any) -> ToolCallChunk | None:
        """Return the first piece of a tool call in an event."""
        for part in self.parts(event) or ():
            if isinstance(part, StreamCall) and not part.repeats:
                index = next((item for item in part.key if isinstance(item, int)), 0)
                return ToolCallChunk(index, part.id, part.name, part.arguments)
        return None

    def is_response(self, event: Any) -> bool:
        """Return whether an event repeats the whole response."""
        parts = self.parts(event) or ()
        return len(parts) > 1 and StreamEnd() in parts

    def response_text(self, event: Any) -> str:
        """Return the text that an event repeats, without the thinking."""
        return "".join(
            part.text
            for part in self.parts(event) or ()
            if isinstance(part, StreamText) and part.repeats and not part.thinking
        )

    def with_response_text(self, event: Any, text: str) -> Any:
        """Return an event like ``event`` that repeats another text."""
        parts: list[Part] = []
        left = text
        for part in self.parts(event) or ():
            if isinstance(part, StreamText) and part.repeats and not part.thinking:
                parts.append(replace(part, text=left))
                left = ""
            else:
                parts.append(part)
        return self.with_parts(event, parts)

    def assemble(self, events: Sequence[Any]) -> Any:
        """Return the :class:`ModelResponse` that the events amount to.

        Of several choices, it is a list with a response for each.
        """
        return assembled(self.parts, events)

    def events(self, response: Any, original: Sequence[Any]) -> Iterable[Any]:
        """Return the original events with the texts and tool calls of another response.

        What none of them can carry is an event of hookcore's own.
        """
        return rewritten(self, response, original)
