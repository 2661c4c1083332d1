"""Shells, the shell's own commands that run others, and ``env``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ._builtins import joined
from ._call import COMPUTED_TEXT, PIPED_TEXT, Call, Handler
from ._operands import COMPUTED, joined_words, known, tail_of
from ._state import State
from ._wrappers import FOREIGN_SHELLS, SHELLS, SUBSHELL_OPTIONS
from .commands import Segment, Word

_COMPUTED_SCRIPT: Final = "its script is only known when it runs"
_STDIN_FILES: Final = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_SHELL_COMMAND: Final = re.compile(r"-[A-Za-z]*c[A-Za-z]*")
_SPLIT: Final = re.compile(r"--split-string=|-[i0v]*S")
_CHDIR: Final = re.compile(r"--chdir(?:=|$)|-C")


def _shell(call: Call) -> None:
    """Unwrap ``sh -c STRING``, ``sh <<< STRING`` and a shell that reads its commands."""
    words = call.segment.words
    index = 0
    reads_stdin = False
    while index < len(words):
        text = words[index].text
        if text is None or text[:1] not in ("-", "+"):
            break
        if text in ("-", "--"):
            index += 1
            break
        if text in ("--version", "--help"):
            return
        if not text.startswith("--") and _SHELL_COMMAND.fullmatch(text):
            call.text(_string(words, index + 1), State(folder=call.state.folder))
            return
        reads_stdin = reads_stdin or (text[1:2] != "-" and "s" in text)
        index += 2 if text in SUBSHELL_OPTIONS else 1
    if index < len(words) and not reads_stdin and words[index].text not in _STDIN_FILES:
        if not words[index].values and "/" not in words[index].tail:
            call.segment.opaque = _COMPUTED_SCRIPT
        return
    _reads_commands(call, certainly=reads_stdin)


def _string(words: Sequence[Word], index: int) -> Word:
    """Return the string after ``-c``; options may still stand before it."""
    while index < len(words) and (words[index].text or "")[:1] in ("-", "+"):
        index += 2 if words[index].text in SUBSHELL_OPTIONS else 1
    return words[index] if index < len(words) else COMPUTED


def _reads_commands(call: Call, *, certainly: bool) -> None:
    segment = call.segment
    if segment.stdin is not None:
        call.text(segment.stdin, State(folder=call.state.folder))
    elif (
        certainly
        or segment.inputs
        or segment.more
        or any(item.operator == "<" for item in segment.redirections)
    ):
        segment.opaque = segment.opaque or PIPED_TEXT


def _foreign(call: Call) -> None:
    words = call.segment.words
    if words and words[0].text not in ("--version", "--help"):
        call.segment.opaque = "it runs another shell's language"


def _eval(call: Call) -> None:
    words = call.segment.words
    if words and words[0].text == "--":
        words = words[1:]
    call.text(joined_words(words), call.state)


def _trap(call: Call) -> None:
    words = [word for word in call.segment.words if word.text != "--"]
    if len(words) > 1 and words[0].text not in ("-", "", "-l", "-p"):
        call.text(words[0])


def _alias(call: Call) -> None:
    for word in call.segment.words:
        if word.text is None:
            call.segment.opaque = COMPUTED_TEXT
        elif "=" in word.text:
            call.text(known(word.text.split("=", 1)[1]))


def _source(call: Call) -> None:
    segment = call.segment
    first = segment.words[0] if segment.words else None
    if first is None:
        return
    if first.raw.startswith("<(") or first.text in _STDIN_FILES:
        segment.opaque = PIPED_TEXT
    elif not first.values and "/" not in first.tail:
        segment.opaque = _COMPUTED_SCRIPT


def _command(call: Call) -> None:
    words = call.segment.words
    if not words or not re.fullmatch(r"-[pvV]*[vV][pvV]*", words[0].text or ""):
        call.prefix()


def _busybox(call: Call) -> None:
    words = call.segment.words
    if not words or words[0].text not in ("--list", "--list-full", "--help"):
        call.prefix()


def _env(call: Call) -> None:
    """Unwrap ``env``: options, ``NAME=value``, then the command."""
    words = call.segment.words
    environment: dict[str, Word] = {}
    index = 0
    while index < len(words):
        word = words[index]
        text = word.text if word.text is not None else word.head
        assigned = re.match(r"([A-Za-z_]\w*)=", text)
        if assigned:
            environment[assigned[1]] = tail_of(word, assigned.end())
        elif _SPLIT.match(text) or text == "--split-string":
            _env_string(call, words[index:])
            return
        elif _CHDIR.match(text):
            index += text in ("-C", "--chdir")
            call = _moved(call, words[min(index, len(words) - 1)], text)
        elif text in ("-u", "--unset", "-a", "--argv0"):
            index += 1
        elif text[:1] != "-" or word.text is None:
            break
        index += 1
    call.command(words[index:], environment)


def _moved(call: Call, word: Word, option: str) -> Call:
    """Return the call in the folder that ``env -C`` names."""
    glued = option not in ("-C", "--chdir")
    start = (len("--chdir=") if option.startswith("--") else len("-C")) if glued else 0
    folder = joined(call.state.folder, tail_of(word, start))
    call.segment.folder = folder
    return call._replace(state=replace(call.state.copy(), folder=folder))


def _env_string(call: Call, words: Sequence[Word]) -> None:
    """Unwrap ``env -S``, which splits a string into words of its own."""
    text = words[0].text if words[0].text is not None else words[0].head
    found = _SPLIT.match(text)
    if found and found.end() < len(text):
        given, rest = tail_of(words[0], found.end()), words[1:]
    else:
        given, rest = (words[1] if len(words) > 1 else COMPUTED), words[2:]
    try:
        pieces = shlex.split(given.text) if given.text is not None else None
    except ValueError:
        pieces = None
    if pieces is None or any("$" in piece or "\\" in piece for piece in pieces):
        call.segment.opaque = COMPUTED_TEXT
        return
    inner: Segment = replace(call.segment, words=[*map(known, pieces), *rest])
    _env(call._replace(segment=inner))
    call.segment.opaque = call.segment.opaque or inner.opaque


HANDLERS: Final[dict[str, Handler]] = {
    **dict.fromkeys(SHELLS, _shell),
    **dict.fromkeys(FOREIGN_SHELLS, _foreign),
    "eval": _eval,
    "trap": _trap,
    "alias": _alias,
    "source": _source,
    ".": _source,
    "command": _command,
    "env": _env,
    "busybox": _busybox,
    "toybox": _busybox,
}
