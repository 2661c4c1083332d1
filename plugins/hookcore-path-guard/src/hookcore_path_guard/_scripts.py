"""Files that are named inside of text that a program runs: sed, awk, one-line code."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["FileInText", "awk_files", "code_files", "sed_files"]

MAX_TEXT: Final = 20_000

# Programs that are started from code are the shell guard's matter; what counts here is a text that
# names a place outside by itself.
_LITERAL: Final = re.compile(r"""(['"`])((?:(?!\1)[^\\\n]|\\.){2,4000})\1""")
_RELATIVE: Final = re.compile(r"[\w.-]+(?:/[\w.-]+)*")
_LEADS_UP: Final = re.compile(r"\.\.(?:/|$)|.*/\.\.(?:/|$)")
_WRITES: Final = re.compile(
    r"""['"][rwax]b?\+['"]|['"][wax]b?t?['"]|write|append|unlink|remove|rmtree|rmdir|rename"""
    r"""|mkdir|touch|symlink|chmod|delete|truncate|copy|move|replace\(|put_contents|open[^\n]*>""",
    re.IGNORECASE,
)
_AWK_FILE: Final = re.compile(r'(>{1,2}|<)\s*"((?:[^"\\\n]|\\.)*)"')
_AWK_COMPUTED: Final = re.compile(
    r"\bprintf?\b[^;}\n\"(]*(?:\"[^\"\n]*\"[^;}\n\"(]*)*>{1,2}\s*[\w$(]"
)
_SED_WRITE: Final = re.compile(r"[ \tgpIiMme0-9]*w([^\n]*)")
# A slash begins a pattern only where a value may stand; texts are stepped over first.
_AWK_PATTERN: Final = re.compile(
    r'("(?:[^"\\\n]|\\.)*")|((?:^|[(,{;!&|~\n])\s*)/(?:[^/\\\n]|\\.)*/'
)


class FileInText(NamedTuple):
    """A file that a script names.

    Args:
        path: the file; None when only the program will know.
        write: tells that it is written.
    """

    path: str | None
    write: bool


def code_files(code: str) -> Iterator[FileInText]:
    """Yield the places outside that literals of a program's text seem to name.

    This is a fence, not a reading: code can build a path in any way.
    """
    write = _WRITES.search(code) is not None
    for found in _LITERAL.finditer(code[:MAX_TEXT]):
        text = found[2]
        is_absolute = text[0] == "/" and _is_there(text.split("/", 2)[1])
        goes_up = _LEADS_UP.match(text) and " " not in text and "://" not in text
        if is_absolute or goes_up or text.startswith("~/"):
            yield FileInText(text, write)
        elif _RELATIVE.fullmatch(text):
            # It can only lead out through a link.
            yield FileInText(text, write=False)


@lru_cache(64)
def _is_there(name: str) -> bool:
    """Tell whether the root folder has an entry of this name; else a text is no path here."""
    return bool(name) and os.path.lexists(f"/{name}")


def awk_files(code: str) -> Iterator[FileInText]:
    """Yield the files that an awk program redirects to and from."""
    plain = _AWK_PATTERN.sub(lambda found: found[1] or found[2], code[:MAX_TEXT])
    for sign, path in _AWK_FILE.findall(plain):
        if sign != "<" or "getline" in plain:
            yield FileInText(path, sign != "<")
    if _AWK_COMPUTED.search(plain):
        yield FileInText(None, write=True)


def sed_files(script: str) -> Iterator[FileInText]:
    """Yield the files that a sed script reads and writes."""
    text = script[:MAX_TEXT]
    at = 0
    while at < len(text):
        at = _past_address(text, at)
        command = text[at : at + 1]
        at += 1
        if command in {"r", "R", "w", "W"}:
            end = _line_end(text, at)
            yield FileInText(text[at:end].strip(), command in "wW")
            at = end
        elif command in {"s", "y"} and at < len(text):
            at = _past(text, _past(text, at + 1, text[at]), text[at])
            writes = _SED_WRITE.match(text, at)
            if writes:
                yield FileInText(writes[1].strip(), write=True)
                at = writes.end()
        elif command in {"a", "i", "c", "#", ":", "b", "t", "T"}:
            at = _line_end(text, at)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _past_address(text: str, at: int) -> int:
    """Return where a command's letter stands, after white space, numbers and patterns."""
    while at < len(text):
        char = text[at]
        if char == "/":
            at = _past(text, at + 1, "/")
        elif char == "\\" and at + 1 < len(text):
            at = _past(text, at + 2, text[at + 1])
        elif char.isspace() or char in "0123456789,$!~+;{}IM":
            at += 1
        else:
            return at
    return at


def _past(text: str, at: int, end: str) -> int:
    """Return what follows the next ``end`` that is neither escaped nor in a bracket."""
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == end:
            return at + 1
        elif char == "[":
            # In brackets the delimiter stands for itself; "]" does so in the first place.
            closing = text.find("]", at + (3 if text[at + 1 : at + 2] == "^" else 2))
            line_end = _line_end(text, at)
            at = closing if at < closing < line_end else at
        at += 1
    return at
