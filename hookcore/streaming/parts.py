"""The parts of an event of a streamed response, as the boundary sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Key", "Part", "Parts", "StreamCall", "StreamEnd", "StreamText"]

Key: TypeAlias = tuple[Any, ...]
"""Tells the texts and tool calls of one response apart."""


@dataclass(frozen=True, slots=True)
class StreamText:
    """A piece of a text in an event, or a text that is repeated.

    Args:
        text: the text.
        key: which of the response's texts it belongs to.
        repeats: it is all of that text so far, not the next piece of it.
        thinking: it is what the model thinks, not what it says.
        choice: which of several responses to one request it belongs to.
        apart: it is told beside the response's own texts and continues none of them, so that it
            stands on a line of its own in the whole response.
    """

    text: str
    key: Key = ()
    repeats: bool = False
    thinking: bool = False
    choice: int = 0
    apart: bool = False


@dataclass(frozen=True, slots=True)
class StreamCall:
    """A piece of a tool call in an event, or a call that is repeated whole.

    Args:
        key: which of the response's calls it belongs to.
        id: the call's id, where this event tells it.
        name: the tool's name, where this event tells it.
        arguments: a piece of the arguments' text; all of it where the call is repeated.
        repeats: it is the whole call, whose pieces may have come before.
        json: the arguments are a JSON object, and the call is whole when they are.
        choice: which of several responses to one request it belongs to.
    """

    key: Key = ()
    id: str | None = None
    name: str | None = None
    arguments: str = ""
    repeats: bool = False
    json: bool = True
    choice: int = 0


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The notice that nothing comes after what has come of some texts and tool calls.

    Args:
        key: of which: those whose keys begin with it; of all of them by default.
    """

    key: Key = ()

    def ends(self, key: Key) -> bool:
        """Return whether the text or call with this key is over."""
        return key[: len(self.key)] == self.key


Part: TypeAlias = StreamText | StreamCall | StreamEnd
Parts: TypeAlias = Sequence[Part]
