"""The code that an interpreter is given in its words or on its standard input."""

from __future__ import annotations

import re
from typing import Final

from ._options import Arguments
from .commands import Segment, Word

INTERPRETERS: Final = re.compile(
    r"(?:python|pypy)[\d.]*w?|node|nodejs|deno|bun|tsx|ts-node|ruby|irb|perl[\d.]*|php[\d.]*|lua[\d.]*|Rscript|osascript|ipython3?"
)
_CODE_OPTIONS: Final = {
    "py": ("c", "--command"),
    "no": ("ep", "--eval", "--print"),
    "bu": ("ep", "--eval", "--print"),
    "ts": ("ep", "--eval", "--print"),
    "ru": ("e",),
    "pe": ("eE",),
    "ph": ("r", "--run"),
    "lu": ("e",),
    "Rs": ("e",),
    "os": ("e",),
    "ip": ("c",),
}
_SHORT: Final = {
    "py": "cmWXQ",
    "ip": "cm",
    "no": "erpC",
    "bu": "erp",
    "ts": "erpP",
    "ru": "eIrCEFKTWx",
    "pe": "eEIMmFCilxD",
    "ph": "rdfzBREFcS",
    "lu": "el",
    "Rs": "e",
    "os": "el",
}
_LONG: Final = frozenset(
    ("--eval", "--print", "--require", "--import", "--loader", "--run", "--command", "--input-type")
)


def inline_code(segment: Segment) -> list[Word] | None:
    """Return the code that an interpreter is given in the call; None when it is none.

    Args:
        segment: any segment.

    Returns:
        The texts of ``-c``, ``-e`` and their like and of standard input; empty when the
        interpreter runs a file or a module.
    """
    program = segment.program or ""
    if not INTERPRETERS.fullmatch(program):
        return None
    family = program[:2]
    if family in ("de", "bu") and segment.words and segment.words[0].text == "eval":
        return segment.words[1:2]
    found = arguments(segment)
    codes = found.values(*_CODE_OPTIONS.get(family, ("",)))
    if codes:
        return codes
    if runs_stdin(segment, found) and segment.stdin is not None:
        return [segment.stdin]
    return []


def arguments(segment: Segment) -> Arguments:
    """Return an interpreter's words, told apart; those of its program are operands."""
    family = (segment.program or "")[:2]
    return Arguments(segment.words, _SHORT.get(family, ""), _LONG, permute=False)


def runs_stdin(segment: Segment, found: Arguments) -> bool:
    """Return True when an interpreter takes its program from standard input."""
    family = (segment.program or "")[:2]
    codes = found.values(*_CODE_OPTIONS.get(family, ("",)))
    if codes or (family in ("py", "ip") and found.has("m")):
        return False
    if family in ("de", "bu") or found.has("vVh", "--version", "--help"):
        return False
    first = found.operands[0] if found.operands else None
    return first is None or first.text in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
