"""The segments of what wrappers run: ``env``, ``sh -c``, ``find -exec``, ``ssh`` and their like."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from . import _inner, _interpreters, _shells
from ._call import COMPUTED_PROGRAM, Call, Handler, Reads
from ._code import INTERPRETERS
from ._git_inner import git
from ._operands import option_value
from ._scanned import MAX_DEPTH
from ._state import State
from ._wrappers import PREFIXES, STRING_OPTIONS
from .commands import Segment

_NAME: Final = re.compile(r"[\w.+@-]+|:|\[\[?")
_HANDLERS: Final[dict[str, Handler]] = {
    "git": git,
    **_shells.HANDLERS,
    **_inner.HANDLERS,
    **_interpreters.HANDLERS,
}


def add_unwrapped(reading: Reads, segment: Segment, state: State, depth: int) -> None:
    """Add a segment and, after it, the segments that it runs.

    Args:
        reading: where segments go.
        segment: a segment of which all but the program's name is known.
        state: what is known where it stands.
        depth: how deep it is nested.
    """
    if reading.full:
        return
    _name(segment)
    reading.found.append(segment)
    program = segment.program
    if program is None or segment.opaque:
        return
    if depth > MAX_DEPTH:
        segment.program = None
        segment.opaque, segment.unreadable = "it is nested too deep", True
        return
    _called(reading, segment, program, state)
    call = Call(reading, segment, state, depth)
    handler = _HANDLERS.get(program)
    if handler is not None:
        handler(call)
    elif program in PREFIXES:
        call.prefix()
    elif INTERPRETERS.fullmatch(program):
        _interpreters.interpreter(call)
    if program in STRING_OPTIONS:
        value = option_value(segment.words, *STRING_OPTIONS[program])
        if value is not None:
            call.text(value)


def _name(segment: Segment) -> None:
    """Set the program's name from the word as written."""
    word = segment.word
    if word is None:
        segment.program = ":"
        return
    found = {text.rsplit("/", 1)[-1] for text in word.values}
    if not found and "/" in word.tail:
        found = {word.tail.rsplit("/", 1)[1]}
    name = found.pop() if len(found) == 1 else ""
    if word.glob or not _NAME.fullmatch(name):
        segment.program = None
        segment.opaque = segment.opaque or COMPUTED_PROGRAM
        return
    segment.program = name


def _called(reading: Reads, segment: Segment, program: str, state: State) -> None:
    """Mark a call of a function; in another folder its body is judged there too."""
    defined = state.functions.get(program)
    if defined is None or segment.word is None or segment.word.text != program:
        return
    segment.function = True
    folder, body = defined
    if folder == state.folder:
        return
    for inner in body:
        if reading.full:
            return
        moved = state.folder if inner.folder == folder else None
        reading.found.append(replace(inner, folder=moved))
