"""A wrapper that is being unwrapped: the form in which all unwrapping rules get it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from ._operands import command_at
from ._state import State
from ._wrappers import PREFIXES
from .commands import Segment, Word

COMPUTED_PROGRAM: Final = "its program is only known when it runs"
COMPUTED_TEXT: Final = "it runs a text that is only known when it runs"
PIPED_TEXT: Final = "its program text comes from a pipe or a file"

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_GROUP_WORDS: Final = frozenset({"{", "(", "!", "if", "while", "until", "for", "case", "[[", "(("})


class Reads(Protocol):
    """The reading that segments are added to."""

    found: list[Segment]

    @property
    def full(self) -> bool:
        """True when nothing more is read."""

    def read(self, text: str, state: State, *, via: tuple[str, ...], depth: int) -> None:
        """Add the segments of a text."""

    def add(self, segment: Segment, state: State, depth: int) -> None:
        """Add a segment and, after it, the segments that it runs."""


class Call(NamedTuple):
    """A wrapper's segment with all that is needed to add what it runs.

    Args:
        reading: where segments go.
        segment: the wrapper.
        state: what is known where it stands.
        depth: how deep it is nested.
    """

    reading: Reads
    segment: Segment
    state: State
    depth: int

    def text(self, code: Word, state: State | None = None) -> None:
        """Add the segments of a command that the wrapper is given as a string.

        Args:
            code: the string.
            state: what is known where the string begins; a copy of the wrapper's when left out.
        """
        segment = self.segment
        if not code.values:
            segment.opaque = segment.opaque or COMPUTED_TEXT
            return
        found = self.reading.found
        start = len(found)
        via = (*segment.via, segment.program or "")
        for text in code.values:
            if self.reading.full:
                return
            known = state if state is not None else self.state.copy()
            self.reading.read(text, known, via=via, depth=self.depth + 1)
        for inner in found[start:]:
            inner.redirections = [*inner.redirections, *segment.redirections]
            inner.inputs = inner.inputs or segment.inputs
            inner.environment = {**segment.environment, **inner.environment}

    def command(
        self,
        words: Sequence[Word],
        environment: dict[str, Word] | None = None,
        *,
        segment: Segment | None = None,
    ) -> None:
        """Add the command that the wrapper is given as words.

        Args:
            words: the command's program and the words after it.
            environment: the variables that the wrapper sets for it.
            segment: the segment that the command's takes after; the wrapper's when left out.
        """
        base = segment if segment is not None else self.segment
        if not words:
            if base.more:
                self.segment.opaque = self.segment.opaque or COMPUTED_PROGRAM
            return
        if words[0].raw in _GROUP_WORDS:
            if words[0].raw != "{":
                self.segment.opaque = "its syntax is not understood"
                return
            words = words[1:]
        inner = replace(
            base,
            program=None,
            word=words[0] if words else None,
            words=list(words[1:]),
            environment={**base.environment, **(environment or {})},
            via=(*base.via, base.program or ""),
            function=False,
        )
        # A function of the command is not seen by a program that a wrapper starts.
        self.reading.add(inner, replace(self.state, functions={}), self.depth + 1)

    def prefix(self) -> None:
        """Add the command that begins with the wrapper's first operand."""
        words = self.segment.words
        spec = PREFIXES[self.segment.program or ""]
        start = 0
        if spec.subcommands:
            start = command_at(words, spec.short, spec.long)
            if start >= len(words) or words[start].text not in spec.subcommands:
                return
            start += 1
        start += command_at(words[start:], spec.short, spec.long, spec.skip)
        environment: dict[str, Word] = {}
        while spec.assigns and start < len(words):
            found = _ASSIGNMENT.fullmatch(words[start].text or "")
            if found is None:
                break
            environment[found[1]] = Word(found[2], (found[2],))
            start += 1
        self.command(words[start:], environment)


Handler = Callable[[Call], None]
