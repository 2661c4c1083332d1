"""The programs that a shell command runs: :func:`segments` and the records that it returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Redirection", "Segment", "Word", "segments"]


class Word(NamedTuple):
    """One word of a command, after quotes are removed and known variables are put in.

    Args:
        raw: the word as written.
        values: every text that it can stand for, as far as the command itself tells; empty when
            only the shell will know. A loop's variable has several.
        glob: an unquoted wildcard is in it, so the shell may put file names in its place.
        home: it begins with an unquoted ``~`` or with ``$HOME``, which is written ``~`` in values.
        head: the text before its first unknown part.
        tail: the text after its last unknown part.
    """

    raw: str
    values: tuple[str, ...]
    glob: bool = False
    home: bool = False
    head: str = ""
    tail: str = ""

    @property
    def text(self) -> str | None:
        """The one text that it stands for; None when that is unknown or there are several."""
        return self.values[0] if len(self.values) == 1 else None


class Redirection(NamedTuple):
    """A redirection to or from a file; copies of descriptors (``2>&1``) are left out.

    Args:
        operator: ``<``, ``>``, ``>>``, ``>|``, ``&>``, ``&>>`` or ``>&``; ``<>`` counts as ``>``.
        target: the file.
    """

    operator: str
    target: Word

    @property
    def writes(self) -> bool:
        """True when the file is opened for writing."""
        return self.operator != "<"


@dataclass(slots=True)
class Segment:
    """One program that a command runs, with all that it is given.

    Args:
        program: its name without folders; None when only the shell will know, ``:`` when nothing
            but assignments and redirections is left.
        words: the words after it.
        word: the program as written; None where there is none.
        redirections: its own and those of the groups that it stands in.
        environment: the assignments before it, and what a wrapper such as ``env`` adds.
        folder: where it runs, as a path from the folder of the call; a ``cd`` before it is taken
            to have worked. None when only the shell will know.
        opaque: why it cannot be known before it runs what this does; empty when it can.
        unreadable: tells that the text around it could not be parsed.
        via: the wrappers that it was found in, the outermost first.
        stdin: the text of its heredoc or here-string, if it has one.
        inputs: the segments whose output is piped into it.
        more: tells that further arguments come from elsewhere, as for ``xargs``.
        function: tells that it is a call of a function that the command itself defines; what that
            does is in segments of its own.
    """

    program: str | None
    words: list[Word] = field(default_factory=list)
    word: Word | None = None
    redirections: list[Redirection] = field(default_factory=list)
    environment: dict[str, Word] = field(default_factory=dict)
    folder: str | None = "."
    opaque: str = ""
    unreadable: bool = False
    via: tuple[str, ...] = ()
    stdin: Word | None = None
    inputs: tuple[Segment, ...] = ()
    more: bool = False
    function: bool = False


def segments(command: str) -> list[Segment]:
    """Return what a command for bash runs, in the order in which it is written.

    A wrapper (``env``, ``sh -c``, ``find -exec``, ...) gives a segment of its own, followed by one
    for each command that it runs. What cannot be read, or cannot be known before it runs, gives a
    segment whose ``opaque`` says why; nothing is left out in silence.

    Args:
        command: the text that the tool hands to bash.
    """
    # The grammar is loaded at the first judgement, not when a host starts.
    from ._reader import read

    return read(command)
