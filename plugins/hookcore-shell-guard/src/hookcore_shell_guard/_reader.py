"""The reading of a command and of all commands inside it."""

from __future__ import annotations

from typing import Final

from ._grammar import Source
from ._prescan import prescan, prescan_body
from ._scanned import MAX_DEPTH, MAX_LENGTH, RefusedError
from ._state import State
from ._unwrap import add_unwrapped
from ._walk import Walk
from .commands import Segment

MAX_SEGMENTS: Final = 400
"""The most segments of one command, and of all the commands inside it."""


def read(command: str) -> list[Segment]:
    """Return the segments of a command; see :func:`hookcore_shell_guard.commands.segments`."""
    reading = Reading()
    reading.read(command, State(), via=(), depth=0)
    return reading.found or [Segment(":")]


class Reading:
    """One reading of a command and of all commands inside it, with a common budget."""

    def __init__(self) -> None:
        self.found: list[Segment] = []
        self._left = 4 * MAX_LENGTH
        self._full = False

    def read(self, text: str, state: State, *, via: tuple[str, ...], depth: int) -> None:
        """Add the segments of a text.

        Args:
            text: a command for bash.
            state: what is known where it begins; it is changed to what is known at its end.
            via: the wrappers around it.
            depth: how many texts it is nested in.
        """
        self._parse(text, state, via, depth, body=False)

    def add(self, segment: Segment, state: State, depth: int) -> None:
        """Add a segment and what it runs; see :func:`add_unwrapped`."""
        add_unwrapped(self, segment, state, depth)

    def read_body(self, text: str, state: State, via: tuple[str, ...], depth: int) -> None:
        """Add the segments of the substitutions in a heredoc's body."""
        self._parse(text, state, (*via, "heredoc"), depth, body=True)

    @property
    def full(self) -> bool:
        """True when so much was found that nothing more is read; the command is refused then."""
        if len(self.found) > MAX_SEGMENTS and not self._full:
            self._full = True
            self.refuse("it runs too many commands", ())
        return self._full

    def refuse(self, why: str, via: tuple[str, ...]) -> None:
        """Add a segment that says why a text cannot be read."""
        self.found.append(Segment(None, opaque=why, unreadable=True, via=via))

    def _parse(
        self, text: str, state: State, via: tuple[str, ...], depth: int, *, body: bool
    ) -> None:
        if self.full:
            return
        self._left -= len(text)
        if depth > MAX_DEPTH or self._left < 0:
            self.refuse("it is nested too deep", via)
            return
        try:
            source = Source(prescan_body(text) if body else prescan(text))
            Walk(self, source, state, via, depth).all()
        except RefusedError as error:
            self.refuse(str(error), via)
        except RecursionError:
            self.refuse("it is nested too deep", via)
