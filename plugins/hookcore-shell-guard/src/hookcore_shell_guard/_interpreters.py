"""Commands inside one-line code, awk programs and options of other programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ._code import arguments, commands_in, inline_code, removed_in, runs_stdin
from ._inner import known, tail_of
from ._operands import option_value
from .commands import Segment, Word

if TYPE_CHECKING:
    from ._state import State
    from ._unwrap import Unwrapper

_PIPED: Final = "its program text comes from a pipe or a file"
_COMPUTED: Final = "its code is only known when it runs"
_AWK_RUNS: Final = re.compile(
    r'system\s*\(\s*"((?:[^"\\\n]|\\.)*)"\s*\)|\|&?\s*"((?:[^"\\\n]|\\.)*)"|"((?:[^"\\\n]|\\.)*)"\s*\|&?\s*getline'
)
_EDITOR_COMMAND: Final = re.compile(r":?(?:silent\s*)?!(.*)", re.DOTALL)


def interpreter(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    """Add what one-line code runs, as far as it stands in it; other code is opaque.

    Args:
        unwrapper: adds the segments.
        segment: an interpreter's segment.
        state: what is known where it stands.
        depth: how deep it is nested.
    """
    codes = inline_code(segment) or []
    if any(not code.values for code in codes):
        segment.opaque = _COMPUTED
        return
    if not codes:
        _file_or_pipe(segment)
    for code in codes:
        for text in code.values:
            for command in commands_in(text, segment.program or ""):
                if command:
                    unwrapper.text(known(command), segment, state.copy(), depth)
            for target in removed_in(text):
                word = known(target) if target is not None else Word("computed", ())
                unwrapper.command(segment, [known("rm"), known("-rf"), word], state, depth)
    if (segment.program or "").startswith(("py", "ipy")):
        module = option_value(segment.words, "m", "", "cWX")
        if module is not None and not codes:
            place = next(
                (i for i, word in enumerate(segment.words) if (word.text or "")[-1:] == "m"), 0
            )
            unwrapper.command(segment, [module, *segment.words[place + 2 :]], state, depth)


def _file_or_pipe(segment: Segment) -> None:
    """Mark an interpreter that reads its program from a pipe."""
    found = arguments(segment)
    given = found.operands[:1]
    if given and given[0].raw.startswith("<("):
        segment.opaque = _PIPED
    elif runs_stdin(segment, found):
        fed = segment.inputs or any(item.operator == "<" for item in segment.redirections)
        if fed or segment.more:
            segment.opaque = _PIPED


def _awk(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    for word in segment.words:
        for text in word.values:
            for found in _AWK_RUNS.finditer(text):
                command = next(group for group in found.groups() if group is not None)
                command = re.sub(r"\\(.)", r"\1", command)
                unwrapper.text(known(command), segment, state.copy(), depth)


def _tar(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    for index, word in enumerate(segment.words):
        text = word.text or word.head
        following = segment.words[index + 1] if index + 1 < len(segment.words) else None
        for option, mark in (("--checkpoint-action", "exec="), ("--to-command", "")):
            if not text.startswith(option[:8]) or not option.startswith(text.split("=", 1)[0]):
                continue
            value = tail_of(word, text.index("=") + 1) if "=" in text else following
            if value is not None and (value.text or value.head).startswith(mark):
                unwrapper.text(tail_of(value, len(mark)), segment, state.copy(), depth)


def _editor(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    for index, word in enumerate(segment.words):
        text = word.text or ""
        command = ""
        if text in ("-c", "--cmd", "-S") and index + 1 < len(segment.words):
            command = segment.words[index + 1].text or ""
        elif text.startswith("+"):
            command = text[1:]
        found = _EDITOR_COMMAND.fullmatch(command)
        if found:
            unwrapper.text(known(found[1]), segment, state.copy(), depth)


def _make(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    for word in segment.words:
        found = re.fullmatch(r"(?:SHELL|CC|CXX|MAKE|LD|AR|PYTHON)=(.+)", word.text or "", re.DOTALL)
        if found:
            unwrapper.text(known(found[1]), segment, state.copy(), depth)


HANDLERS: Final[dict[str, Any]] = {
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(("tar", "bsdtar", "gtar"), _tar),
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view"), _editor),
    **dict.fromkeys(("make", "gmake"), _make),
}
