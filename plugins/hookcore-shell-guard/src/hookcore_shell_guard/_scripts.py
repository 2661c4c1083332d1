"""Scripts of sed and awk: do they write files or run programs?"""

from __future__ import annotations

import re
from typing import Final

_SED_ADDRESS: Final = re.compile(
    r"\s*(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]*|\\(.)(?:(?!\1)[^\\\n]|\\.)*\1[IM]*)\s*"
    r"(?:,\s*(?:[+~]?\d+|\$|/(?:[^/\\\n]|\\.)*/[IM]*|\\(.)(?:(?!\2)[^\\\n]|\\.)*\2[IM]*)\s*)?",
    re.DOTALL,
)
_SED_COMMAND: Final = re.compile(rf"(?:{_SED_ADDRESS.pattern})?[ \t!]*[^ \t!]", re.DOTALL)
_SED_FLAGS: Final = re.compile(r"[gpiImM0-9]*(?=[ \t\n;}#]|\Z)")
_SED_PLAIN: Final = frozenset("=dDgGhHnNpPxFz{}")
_SED_TO_END: Final = frozenset("aicrR#")
_SED_LABEL: Final = frozenset("bt:TqQlLv")
_SED_BRACKET: Final = re.compile(r"\[\^?\]?(?:\[[:.=][^\n]*?[:.=]\]|[^\]\n])*\]")
_AWK_TOKEN: Final = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<comment>\#[^\n]*)|(?P<word>[A-Za-z_]\w*|\d[\w.]*)"""
    r"""|(?P<or>\|\|)|(?P<pipe>\|&?)|(?P<append>>>)|(?P<space>[ \t\r]+)|(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
_AWK_BEFORE_OPERAND: Final = frozenset({"print", "printf", "return", "in", "getline", "case"})
_AWK_REGEX: Final = re.compile(r"/(?:[^/\\\n\[]|\\.|\[\]?[^\]\n]*\])*/")


def sed_only_prints(script: str) -> bool:
    """Return True when a sed script writes no file and runs nothing, as far as it is understood.

    Args:
        script: the script's text.
    """
    at, size = 0, len(script)
    while at < size:
        if script[at] in " \t\n;":
            at += 1
            continue
        command = _SED_COMMAND.match(script, at)
        end = _sed_end(script, command.end() - 1) if command is not None else None
        if end is None:
            return False
        at = end
    return True


def _sed_end(script: str, at: int) -> int | None:
    """Return the end of the command that begins here; None unless it only prints."""
    command = script[at]
    at += 1
    if command in _SED_PLAIN:
        return at
    if command in "sy":
        parts = _sed_parts(script, at)
        flags = _SED_FLAGS.match(script, parts) if parts is not None else None
        return flags.end() if flags is not None else None
    if command not in _SED_TO_END and command not in _SED_LABEL:
        return None
    end = script.find("\n", at)
    if command in _SED_LABEL:
        stops = (end, script.find(";", at), script.find("}", at))
        end = min((place for place in stops if place >= 0), default=-1)
    while command in "aic" and end > 0 and script[end - 1] == "\\":
        end = script.find("\n", end + 1)
    return len(script) if end < 0 else end


def _sed_parts(script: str, at: int) -> int | None:
    """Return the end of the two parts of ``s`` or ``y``; None when they are not there."""
    mark = script[at : at + 1]
    if mark in ("", "\\", "\n"):
        return None
    at += 1
    for part in range(2):
        while at < len(script) and script[at] != mark:
            if script[at] == "[" and part == 0:
                # The mark is an ordinary character inside brackets.
                bracket = _SED_BRACKET.match(script, at)
                at = bracket.end() if bracket else at + 1
            else:
                at += 2 if script[at] == "\\" else 1
        if at >= len(script):
            return None
        at += 1
    return at


def awk_only_prints(program: str) -> bool:
    """Return True when an awk program opens no file for writing and runs nothing.

    Args:
        program: the program's text.
    """
    return not awk_outputs(program)


def awk_outputs(program: str) -> list[str]:
    """Return what an awk program does beyond printing: ``write``, ``run``, ``connect``.

    Args:
        program: the program's text.
    """
    found = ["connect"] if "/inet" in program else []
    printing, depth, at, operand = False, 0, 0, False
    while at < len(program):
        regex = _AWK_REGEX.match(program, at) if program[at] == "/" and not operand else None
        if regex is not None:
            at, operand = regex.end(), True
            continue
        token = _AWK_TOKEN.match(program, at)
        if token is None:
            return [*found, "run"]
        at = token.end()
        kind, text = token.lastgroup, token[0]
        if kind == "word":
            if text in ("print", "printf"):
                printing, depth = True, 0
            elif text == "system" or (text in ("include", "load") and "@" in program):
                found.append("run")
            operand = text not in _AWK_BEFORE_OPERAND
        elif kind == "pipe":
            found.append("run")
        elif kind == "append" or (text == ">" and printing and depth == 0):
            found.append("write")
        elif kind != "space":
            printing = printing and text not in (";", "\n", "{", "}")
            depth += (text in ("(", "[")) - (text in (")", "]"))
            operand = kind == "string" or text in (")", "]", "$")
    return found
