"""Commands inside one-line code, awk programs and options of other programs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final

from ._call import PIPED_TEXT, Call, Handler
from ._code import arguments, inline_code, runs_stdin
from ._operands import command_at, known, option_value, tail_of
from .commands import Segment, Word

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


def interpreter(call: Call) -> None:
    """Add what one-line code runs, as far as it stands in it; other code is opaque.

    Args:
        call: an interpreter's call.
    """
    segment = call.segment
    codes = inline_code(segment) or []
    if any(not code.values for code in codes):
        segment.opaque = _COMPUTED
        return
    if codes:
        _skimmed(call, codes)
    else:
        _file_or_pipe(segment)
    if (segment.program or "").startswith(("py", "ipy")):
        module = option_value(segment.words, "m", "", "cWX")
        if module is not None and not codes:
            place = next(
                (i for i, word in enumerate(segment.words) if (word.text or "")[-1:] == "m"), 0
            )
            call.command([module, *segment.words[place + 2 :]])


def _skimmed(call: Call, codes: Sequence[Word]) -> None:
    """Add the commands and removals that are seen in code."""
    # Its expressions take longer to compile than most commands take to read.
    from ._skim import commands_in, removed_in

    for text in itertools.chain.from_iterable(code.values for code in codes):
        for command in commands_in(text, call.segment.program or ""):
            if command:
                call.text(known(command))
        for target in removed_in(text):
            word = known(target) if target is not None else Word("computed", ())
            call.command([known("rm"), known("-rf"), word])


def _file_or_pipe(segment: Segment) -> None:
    """Mark an interpreter that reads its program from a pipe."""
    found = arguments(segment)
    given = found.operands[:1]
    if given and given[0].raw.startswith("<("):
        segment.opaque = PIPED_TEXT
    elif runs_stdin(segment, found):
        fed = segment.inputs or any(item.operator == "<" for item in segment.redirections)
        if fed or segment.more:
            segment.opaque = PIPED_TEXT


def _awk(call: Call) -> None:
    from ._scripts import awk_outputs

    segment = call.segment
    for word in segment.words:
        for text in word.values:
            known_runs = 0
            for found in _AWK_RUNS.finditer(text):
                known_runs += 1
                literal = next(group for group in found.groups() if group is not None)
                command = "".join(_AWK_STRINGS.findall(literal))
                command = re.sub(r"\\(.)", r"\1", command)
                call.text(known(command))
            if awk_outputs(text).count("run") > known_runs:
                segment.opaque = segment.opaque or "it runs a text that is only known when it runs"


def _sessions(call: Call) -> None:
    """Unwrap ``tmux`` and ``screen``, which run what they are given in a terminal of their own."""
    segment = call.segment
    words = segment.words
    if segment.program == "screen":
        start = command_at(words, "SthpscTeX", ())
        call.command(words[start:])
        return
    for word in words[1:]:
        if word.text is None and not word.values and word.raw[:1] in ("$", '"'):
            segment.opaque = segment.opaque or "it runs a text that is only known when it runs"
        elif word.text is not None and re.search(r"\s", word.text):
            call.text(word)
    plain = [word for word in words[1:] if not (word.text or "-").startswith("-")]
    if len(plain) > 1:
        for start in range(len(plain) - 1):
            call.command(plain[start:])


def _later(call: Call) -> None:
    """Unwrap ``at`` and ``batch``, which run their standard input later."""
    segment = call.segment
    if segment.stdin is not None:
        call.text(segment.stdin)
    elif segment.inputs or any(item.operator == "<" for item in segment.redirections):
        segment.opaque = PIPED_TEXT


def _escapes(call: Call) -> None:
    """Unwrap the shell escapes of database clients and editors."""
    segment = call.segment
    given = [text for word in segment.words for text in word.values]
    if segment.stdin is not None:
        given += segment.stdin.values
    for text in given:
        for found in _SHELL_ESCAPES.finditer(text):
            call.text(known(found[1]))
    if segment.program in ("vim", "vi", "nvim", "ex", "view"):
        _editor(call)


def _strings(call: Call) -> None:
    """Unwrap programs of which every operand with a blank is a command."""
    segment = call.segment
    for word in segment.words:
        if word.text is not None and re.search(r"\s", word.text):
            call.text(word)


def _tar(call: Call) -> None:
    segment = call.segment
    for index, word in enumerate(segment.words):
        text = word.text or word.head
        following = segment.words[index + 1] if index + 1 < len(segment.words) else None
        for option, mark in (("--checkpoint-action", "exec="), ("--to-command", "")):
            if not text.startswith(option[:8]) or not option.startswith(text.split("=", 1)[0]):
                continue
            value = tail_of(word, text.index("=") + 1) if "=" in text else following
            if value is not None and (value.text or value.head).startswith(mark):
                call.text(tail_of(value, len(mark)))


def _editor(call: Call) -> None:
    segment = call.segment
    for index, word in enumerate(segment.words):
        text = word.text or ""
        command = ""
        if text in ("-c", "--cmd", "-S") and index + 1 < len(segment.words):
            command = segment.words[index + 1].text or ""
        elif text.startswith("+"):
            command = text[1:]
        found = _EDITOR_COMMAND.fullmatch(command)
        if found:
            call.text(known(found[1]))


def _make(call: Call) -> None:
    segment = call.segment
    for word in segment.words:
        found = re.fullmatch(r"(?:SHELL|CC|CXX|MAKE|LD|AR|PYTHON)=(.+)", word.text or "", re.DOTALL)
        if found:
            call.text(known(found[1]))


HANDLERS: Final[dict[str, Handler]] = {
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
