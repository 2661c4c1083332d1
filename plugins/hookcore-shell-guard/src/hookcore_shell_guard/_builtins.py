"""Commands of the shell itself that change what is known after them."""

from __future__ import annotations

import posixpath
from typing import Final

from ._state import State
from .commands import Segment, Word

_SETTERS: Final = frozenset({"read", "mapfile", "readarray", "getopts", "let", "unset"})
DECLARERS: Final = frozenset({"declare", "typeset", "local", "export", "readonly"})


def apply_builtin(segment: Segment, state: State) -> None:
    """Change the state as the segment's command does.

    Args:
        segment: a command that was just read.
        state: what is known before it; it is changed to what is known after it.
    """
    program = segment.program
    words = segment.words
    if program in ("builtin", "command") and words and words[0].text in ("cd", "pushd"):
        program, words = "cd", words[1:]
    if program in ("cd", "pushd"):
        _change(words, state, program)
    elif program == "popd":
        state.folder, *rest = state.previous or (None,)
        state.previous = tuple(rest)
    elif program in ("source", "."):
        state.blind = True
    elif program is not None:
        _assign(program, words, state)


def _assign(program: str, words: list[Word], state: State) -> None:
    """Make the variables unknown that a command of the shell sets."""
    if program in _SETTERS:
        for word in words:
            _forget(word, state)
        if program == "unset":
            state.functions = {}
    elif program == "printf" and words and words[0].text == "-v":
        for word in words[1:2]:
            _forget(word, state)
    elif program in DECLARERS:
        # With "-n" a variable has two names.
        options = (word.raw for word in words if word.raw.startswith("-"))
        state.blind = state.blind or any("n" in option for option in options)


def move(state: State, target: Word | None) -> None:
    """Change the folder as ``cd`` to a target does.

    Args:
        state: the state to change.
        target: the folder; None when it is not known.
    """
    state.previous = (state.folder, *state.previous[:8])
    state.folder = joined(state.folder, target)


def joined(folder: str | None, target: Word | None) -> str | None:
    """Return a folder seen from another; None when it is not known."""
    text = target.text if target is not None else None
    if text is None or target is None or target.glob or not text:
        return None
    if text[:1] == "/" or (text[:1] == "~" and target.home):
        return text
    if folder is None:
        return None
    return posixpath.join(folder, text) if folder != "." else text


def _change(words: list[Word], state: State, program: str) -> None:
    operands = [word for word in words if word.raw[:1] != "-" or word.raw == "-"]
    if not operands:
        home = Word("~", ("~",), home=True)
        move(state, home if program == "cd" and all(word.values for word in words) else None)
    elif len(operands) > 1:
        # With two operands it fails; one that is not known may be nothing.
        if not all(word.values for word in operands):
            move(state, None)
    elif operands[0].text == "-":
        state.folder, *rest = state.previous or (None,)
        state.previous = tuple(rest)
    else:
        move(state, operands[0])


def _forget(word: Word, state: State) -> None:
    if word.text is None:
        state.blind = True
        return
    name = word.text.split("=", 1)[0].split("[", 1)[0].rstrip("+-*/%")
    state.forget(name)
