"""Commands inside git commands: aliases, ``rebase --exec``, ``bisect run`` and their like."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from ._call import Call
from ._operands import COMPUTED, git_command, joined_words, known, tail_of, takes_next
from .commands import Word

_UNKNOWN_SETTING: Final = "it passes git a setting that is only known when it runs"


def git(call: Call) -> None:
    """Add the commands that a git command runs besides itself.

    Args:
        call: the git command.
    """
    words = call.segment.words
    at = git_command(words)
    rest = words[at + 1 :]
    name = words[at].text if at < len(words) else None
    for index, word in enumerate(words[:at]):
        if call.reading.full:
            return
        if word.text == "-c" and index + 1 < len(words):
            _setting(call, words[index + 1], name, rest)
    rule = _RULES.get(name or "")
    if rule is not None:
        rule(call, rest)


def _rebase(call: Call, rest: Sequence[Word]) -> None:
    for index, word in enumerate(rest):
        text = word.text or word.head
        if takes_next(text, "x") or text == "--exec":
            call.text(rest[index + 1] if index + 1 < len(rest) else COMPUTED)
        elif text.startswith("--exec=") or re.match("-x.", text):
            call.text(tail_of(word, len("--exec=") if text[1] == "-" else 2))


def _bisect(call: Call, rest: Sequence[Word]) -> None:
    if rest and rest[0].text == "run":
        call.command(rest[1:])


def _submodule(call: Call, rest: Sequence[Word]) -> None:
    places = [index for index, word in enumerate(rest) if word.text == "foreach"]
    following = rest[places[0] + 1 :] if places else ()
    inner = [word for word in following if word.text not in ("--recursive", "--quiet", "-q")]
    if inner:
        call.text(joined_words(inner))


def _filter(call: Call, rest: Sequence[Word]) -> None:
    for index, word in enumerate(rest[:-1]):
        if (word.text or "").endswith("-filter"):
            call.text(rest[index + 1])


def _stored(call: Call, rest: Sequence[Word]) -> None:
    """Judge an alias that ``git config`` stores as if it ran."""
    operands = [word for word in rest if not (word.text or word.head).startswith("-")]
    if operands and operands[0].text in ("set", "add"):
        operands = operands[1:]
    for word, value in pairwise(operands):
        if (word.text or word.head).lower().startswith("alias."):
            if value.text is None:
                call.segment.opaque = "it stores an alias that is only known when it runs"
            else:
                _alias(call, value.text, ())
            return


def _setting(call: Call, setting: Word, name: str | None, rest: Sequence[Word]) -> None:
    """Judge an alias that is passed with ``-c``, with what is given to it."""
    text = setting.text if setting.text is not None else setting.head
    key, equals, value = text.partition("=")
    hides = not equals or key.lower().startswith("alias.")
    if setting.text is None and hides:
        call.segment.opaque = _UNKNOWN_SETTING
    elif key.lower().startswith("alias."):
        _alias(call, value, rest if name == key.split(".", 1)[1] else ())


def _alias(call: Call, value: str, given: Sequence[Word]) -> None:
    if value.startswith("!"):
        texts = [word.text for word in given]
        code = value[1:] + "".join(" " + shlex.quote(text) for text in texts if text is not None)
        call.text(COMPUTED if None in texts else known(code))
        return
    try:
        pieces = shlex.split(value)
    except ValueError:
        call.segment.opaque = "an alias is not understood"
        return
    call.command([*(known(text) for text in ("git", *pieces)), *given])


_RULES: Final[dict[str, Callable[[Call, Sequence[Word]], None]]] = {
    "rebase": _rebase,
    "bisect": _bisect,
    "submodule": _submodule,
    "filter-branch": _filter,
    "config": _stored,
}
