"""Commands inside one-line code, awk programs and options of other programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ._code import arguments, commands_in, inline_code, removed_in, runs_stdin
from ._inner import known, tail_of
from ._operands import command_at, option_value
from ._scripts import awk_outputs
from .commands import Segment, Word

if TYPE_CHECKING:
    from ._state import State
    from ._unwrap import Unwrapper

_PIPED: Final = "its program text comes from a pipe or a file"
_COMPUTED: Final = "its code is only known when it runs"
_AWK_RUNS: Final = re.compile(
    r'system\s*\(\s*((?:"(?:[^"\\\n]|\\.)*"\s*)+)\)|\|&?\s*("(?:[^"\\\n]|\\.)*")'
    r'|("(?:[^"\\\n]|\\.)*")\s*\|&?\s*getline'
)
_AWK_STRINGS: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_SHELL_ESCAPES: Final = re.compile(
    r"(?m)(?:^|[;'\"\s])(?:\\!|\.(?:shell|system)\s|system\s|spawn\s|^!|^shell\s)\s*([^\n]+)"
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
            known_runs = 0
            for found in _AWK_RUNS.finditer(text):
                known_runs += 1
                literal = next(group for group in found.groups() if group is not None)
                command = "".join(_AWK_STRINGS.findall(literal))
                command = re.sub(r"\\(.)", r"\1", command)
                unwrapper.text(known(command), segment, state.copy(), depth)
            if awk_outputs(text).count("run") > known_runs:
                segment.opaque = segment.opaque or "it runs a text that is only known when it runs"


def _sessions(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    """Unwrap ``tmux`` and ``screen``, which run what they are given in a terminal of their own."""
    words = segment.words
    if segment.program == "screen":
        start = command_at(words, "SthpscTeX", ())
        unwrapper.command(segment, words[start:], state, depth)
        return
    for word in words[1:]:
        if word.text is None and not word.values and word.raw[:1] in ("$", '"'):
            segment.opaque = segment.opaque or "it runs a text that is only known when it runs"
        elif word.text is not None and re.search(r"\s", word.text):
            unwrapper.text(word, segment, state.copy(), depth)
    plain = [word for word in words[1:] if not (word.text or "-").startswith("-")]
    if len(plain) > 1:
        for start in range(len(plain) - 1):
            unwrapper.command(segment, plain[start:], state, depth)


def _later(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    """Unwrap ``at`` and ``batch``, which run their standard input later."""
    if segment.stdin is not None:
        unwrapper.text(segment.stdin, segment, state.copy(), depth)
    elif segment.inputs or any(item.operator == "<" for item in segment.redirections):
        segment.opaque = _PIPED


def _escapes(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    """Unwrap the shell escapes of database clients and editors: ``\\! command`` and its like."""
    given = [text for word in segment.words for text in word.values]
    if segment.stdin is not None:
        given += segment.stdin.values
    for text in given:
        for found in _SHELL_ESCAPES.finditer(text):
            unwrapper.text(known(found[1]), segment, state.copy(), depth)
    if segment.program in ("vim", "vi", "nvim", "ex", "view"):
        _editor(unwrapper, segment, state, depth)


def _strings(unwrapper: Unwrapper, segment: Segment, state: State, depth: int) -> None:
    """Unwrap programs of which every operand with a blank is a command."""
    for word in segment.words:
        if word.text is not None and re.search(r"\s", word.text):
            unwrapper.text(word, segment, state.copy(), depth)


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
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view"), _escapes),
    **dict.fromkeys(
        ("psql", "mysql", "mariadb", "sqlite3", "sqlite", "ed", "expect", "gdb"), _escapes
    ),
    **dict.fromkeys(("tmux", "screen"), _sessions),
    **dict.fromkeys(("at", "batch"), _later),
    **dict.fromkeys(
        ("concurrently", "adb", "wsl", "xterm", "emacs", "nodemon", "watchexec", "less"), _strings
    ),
    **dict.fromkeys(("make", "gmake"), _make),
}
