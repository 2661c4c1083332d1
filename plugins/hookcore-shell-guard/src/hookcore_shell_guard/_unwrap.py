"""The segments of what wrappers run: ``env``, ``sh -c``, ``find -exec``, ``ssh`` and their like."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol

from . import _inner, _interpreters
from ._builtins import joined
from ._code import INTERPRETERS
from ._operands import command_at, option_value
from ._prescan import MAX_DEPTH
from ._state import State
from ._wrappers import (
    FOREIGN_SHELLS,
    PREFIXES,
    SHELLS,
    STRING_OPTIONS,
    SUBSHELL_OPTIONS,
)
from .commands import Segment, Word

COMPUTED_PROGRAM: Final = "its program is only known when it runs"
COMPUTED_TEXT: Final = "it runs a text that is only known when it runs"
PIPED_TEXT: Final = "its program text comes from a pipe or a file"

_NAME: Final = re.compile(r"[\w.+@-]+")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_SHELL_COMMAND: Final = re.compile(r"-[A-Za-z]*c[A-Za-z]*")
_GROUP_WORDS: Final = frozenset("{ ( ! if while until for case [[ ((".split())


class Reads(Protocol):
    """The reading that the unwrapper adds segments to."""

    found: list[Segment]

    def read(self, text: str, state: State, *, via: tuple[str, ...], depth: int) -> None:
        """Add the segments of a text."""


class Unwrapper:
    """Adds segments and what they wrap to a reading.

    Args:
        reading: where the segments go.
    """

    def __init__(self, reading: Reads) -> None:
        self._reading = reading

    def add(self, segment: Segment, state: State, depth: int) -> None:
        """Add a segment and, after it, the segments that it runs.

        Args:
            segment: a segment of which all but the program is known.
            state: what is known where it stands.
            depth: how deep it is nested.
        """
        self._name(segment)
        self._reading.found.append(segment)
        program = segment.program
        if program is None or segment.opaque:
            return
        if depth > MAX_DEPTH:
            segment.program, segment.opaque, segment.unreadable = None, "it is nested too deep", True
            return
        defined = state.functions.get(program)
        if defined is not None and segment.word is not None and segment.word.text == program:
            self._call(segment, defined, state)
        handler = _HANDLERS.get(program)
        if handler is not None:
            handler(self, segment, state, depth)
        elif program in PREFIXES:
            self.prefix(segment, state, depth)
        elif INTERPRETERS.fullmatch(program):
            _interpreters.interpreter(self, segment, state, depth)
        if program in STRING_OPTIONS:
            letter, long = STRING_OPTIONS[program]
            value = option_value(segment.words, letter, long) if letter or long else None
            if value is not None:
                self.text(value, segment, state, depth)

    def text(self, code: Word, segment: Segment, state: State, depth: int) -> None:
        """Add the segments of a command that a wrapper is given as a string.

        Args:
            code: the string.
            segment: the wrapper.
            state: what is known where it stands.
            depth: how deep it is nested.
        """
        if not code.values:
            segment.opaque = segment.opaque or COMPUTED_TEXT
            return
        found = self._reading.found
        start = len(found)
        via = (*segment.via, segment.program or "")
        for text in code.values:
            if len(found) - start > 200:  # noqa: PLR2004 - a bound on the time
                segment.opaque = "it runs too many commands"
                return
            self._reading.read(text, state, via=via, depth=depth + 1)
        for inner in found[start:]:
            inner.redirections = [*inner.redirections, *segment.redirections]
            inner.inputs = inner.inputs or segment.inputs
            inner.environment = {**segment.environment, **inner.environment}

    def command(
        self,
        segment: Segment,
        words: Sequence[Word],
        state: State,
        depth: int,
        environment: dict[str, Word] | None = None,
    ) -> None:
        """Add the command that a wrapper is given as words.

        Args:
            segment: the wrapper.
            words: the command's program and the words after it.
            state: what is known where it stands.
            depth: how deep it is nested.
            environment: the variables that the wrapper sets for it.
        """
        if not words:
            if segment.more:
                segment.opaque = segment.opaque or COMPUTED_PROGRAM
            return
        if words[0].raw in _GROUP_WORDS:
            if words[0].raw != "{":
                segment.opaque = "its syntax is not understood"
                return
            words = words[1:]
        inner = replace(
            segment,
            program=None,
            word=words[0] if words else None,
            words=list(words[1:]),
            environment={**segment.environment, **(environment or {})},
            via=(*segment.via, segment.program or ""),
            function=False,
        )
        # A function of the command is not seen by a program that a wrapper starts.
        self.add(inner, replace(state, functions={}), depth + 1)

    def prefix(self, segment: Segment, state: State, depth: int) -> None:
        """Unwrap a program whose first operand begins the command."""
        words = segment.words
        spec = PREFIXES[segment.program or ""]
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
        self.command(segment, words[start:], state, depth, environment)

    def _name(self, segment: Segment) -> None:
        """Set the program's name from the word as written."""
        word = segment.word
        if word is None:
            segment.program = ":"
            return
        names = {text.rsplit("/", 1)[-1] for text in word.values}
        if not names and "/" in word.tail:
            names = {word.tail.rsplit("/", 1)[1]}
        name = names.pop() if len(names) == 1 else ""
        if word.glob or not (_NAME.fullmatch(name) or name in ("[", ":", "[[")):
            segment.program = None
            segment.opaque = segment.opaque or COMPUTED_PROGRAM
            return
        segment.program = name

    def _call(
        self, segment: Segment, defined: tuple[str | None, tuple[Segment, ...]], state: State
    ) -> None:
        """Mark a call of a function; in another folder its body is judged there too."""
        segment.function = True
        folder, body = defined
        if folder == state.folder:
            return
        for inner in body[: max(0, 200 - len(self._reading.found))]:
            moved = state.folder if inner.folder == folder else None
            self._reading.found.append(replace(inner, folder=moved))


def _shell(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    """Unwrap ``sh -c STRING``, ``sh <<< STRING`` and a shell that reads its commands."""
    words = segment.words
    if segment.program in FOREIGN_SHELLS:
        if words and words[0].text not in ("--version", "--help"):
            segment.opaque = "it runs another shell's language"
        return
    index = 0
    reads_stdin = False
    while index < len(words):
        text = words[index].text
        if text is None:
            segment.opaque = "its script is only known when it runs"
            return
        if text[:1] not in ("-", "+") or text in ("-", "--"):
            index += text in ("-", "--")
            break
        if text in SUBSHELL_OPTIONS:
            index += 2
            continue
        if not text.startswith("--") and _SHELL_COMMAND.fullmatch(text):
            rest = index + 1
            while rest < len(words) and (words[rest].text or "")[:1] in ("-", "+"):
                # Options may still stand before the string.
                rest += 2 if words[rest].text in SUBSHELL_OPTIONS else 1
            code = words[rest] if rest < len(words) else Word("", ())
            unwrapper.text(code, segment, State(folder=state.folder), depth)
            return
        if text in ("--version", "--help"):
            return
        reads_stdin = reads_stdin or (text[1:2] != "-" and "s" in text)
        index += 1
    if index < len(words) and not reads_stdin and words[index].text not in _STDIN_FILES:
        if not words[index].values and "/" not in words[index].tail:
            segment.opaque = "its script is only known when it runs"
        return
    if segment.stdin is not None:
        unwrapper.text(segment.stdin, segment, State(folder=state.folder), depth)
    elif segment.inputs or segment.more or any(r.operator == "<" for r in segment.redirections):
        segment.opaque = PIPED_TEXT
    elif words:
        segment.opaque = segment.opaque or (PIPED_TEXT if reads_stdin else "")


def _eval(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    words = segment.words[1:] if segment.words[:1] and segment.words[0].text == "--" else segment.words
    unwrapper.text(_inner.joined_words(words), segment, state, depth)


def _trap(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    words = [word for word in segment.words if word.text != "--"]
    if words and words[0].text not in ("-", "", "-l", "-p") and len(words) > 1:
        unwrapper.text(words[0], segment, state.copy(), depth)


def _alias(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    for word in segment.words:
        if word.text is None:
            segment.opaque = COMPUTED_TEXT
        elif "=" in word.text:
            value = word.text.split("=", 1)[1]
            unwrapper.text(Word(value, (value,)), segment, state.copy(), depth)


def _source(_: Unwrapper, segment: Segment, __: State, ___: int) -> None:
    first = segment.words[0] if segment.words else None
    if first is not None and first.raw.startswith("<("):
        segment.opaque = PIPED_TEXT
    elif first is not None and not first.values and "/" not in first.tail:
        segment.opaque = "its script is only known when it runs"
    elif first is not None and first.text in _STDIN_FILES:
        segment.opaque = PIPED_TEXT


def _command(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    if segment.words and re.fullmatch(r"-[pvV]*[vV][pvV]*", segment.words[0].text or ""):
        return
    unwrapper.prefix(segment, state, depth)


def _env(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    words = segment.words
    environment: dict[str, Word] = {}
    index = 0
    while index < len(words):
        text = words[index].text if words[index].text is not None else words[index].head
        text = text or ""
        assigned = re.match(r"([A-Za-z_]\w*)=", text)
        if assigned:
            environment[assigned[1]] = _inner.tail_of(words[index], assigned.end())
            index += 1
            continue
        split = re.match(r"--split-string=|-[i0v]*S", text)
        if split or text == "--split-string":
            given, rest = _inner.tail_of(words[index], len(text)), words[index + 1 :]
            if split and len(text) > split.end():
                given = _inner.tail_of(words[index], split.end())
            elif rest and not text.endswith("="):
                given, rest = rest[0], rest[1:]
            _env_string(unwrapper, segment, given, rest, state, depth)
            return
        if text in ("-C", "--chdir") or text.startswith("--chdir=") or re.match("-C.", text):
            glued = text not in ("-C", "--chdir")
            start = (len("--chdir=") if text.startswith("--") else 2) if glued else 0
            at = index if glued else min(index + 1, len(words) - 1)
            folder = joined(state.folder, _inner.tail_of(words[at], start))
            state = replace(state.copy(), folder=folder)
            segment.folder = folder
            index += 1 if glued else 2
        elif text in ("-u", "--unset", "-a", "--argv0"):
            index += 2
        elif text == "--":
            index += 1
        elif text[:1] == "-" and words[index].text is not None:
            index += 1
        else:
            break
    unwrapper.command(segment, words[index:], state, depth, environment)


def _env_string(
    unwrapper: Unwrapper,
    segment: Segment,
    given: Word,
    rest: Sequence[Word],
    state: State,
    depth: int,
) -> None:
    try:
        pieces = shlex.split(given.text) if given.text is not None else None
    except ValueError:
        pieces = None
    if pieces is None or any("$" in piece or "\\" in piece for piece in pieces):
        segment.opaque = COMPUTED_TEXT
        return
    words = [Word(piece, (piece,)) for piece in pieces]
    inner = replace(segment, words=[*words, *rest])
    _env(unwrapper, inner, state, depth)
    segment.opaque = segment.opaque or inner.opaque


def _busybox(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    if segment.words and segment.words[0].text in ("--list", "--list-full", "--help"):
        return
    unwrapper.prefix(segment, state, depth)


_STDIN_FILES: Final = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")

Handler = Callable[[Unwrapper, Segment, State, int], None]
_HANDLERS: Final[dict[str, Handler]] = {
    **dict.fromkeys((*SHELLS, *FOREIGN_SHELLS), _shell),
    "eval": _eval,
    "trap": _trap,
    "alias": _alias,
    "source": _source,
    ".": _source,
    "command": _command,
    "env": _env,
    "busybox": _busybox,
    "toybox": _busybox,
    **_inner.HANDLERS,
    **_interpreters.HANDLERS,
}
