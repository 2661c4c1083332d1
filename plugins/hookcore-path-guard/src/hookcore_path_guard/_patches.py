"""The files that the text of a patch names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["Named", "patched_files"]

_ENVELOPE: Final = re.compile(
    r"^[^\S\n]*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)", re.MULTILINE
)
_HEADER: Final = re.compile(r"\*\*\* (Add|Update|Delete) File:(.*)|\*\*\* (Move) to:(.*)")
_HUNK: Final = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_UNIFIED: Final = re.compile(r"(?:---|\+\+\+|\*\*\*|Index:) ([^\t]+)")
_GIT: Final = re.compile(r"(?:rename|copy) (from|to) (.+)")
_QUOTED: Final = re.compile(r'"(.*)"')
_LINK_MODE: Final = re.compile(r"(?:new file mode|new mode|index \S+) 120000")
# The line ranges of a context diff begin as its file names do.
_RANGE: Final = re.compile(r"(?:\*\*\*|---) \d+(?:,\d+)? (?:\*\*\*\*|----)")
_CONTENT: Final = {"Add": "+", "Update": "+- ", "Delete": "", "": ""}


class Named(NamedTuple):
    """A name in a patch.

    Args:
        kind: "write", "remove" for what goes away, or "target" for where a new link leads.
        path: the name as it is written there.
    """

    kind: str
    path: str


def patched_files(text: str, strip: int | None = None) -> Iterator[Named]:
    """Yield what a patch writes; lines of content are not taken for headers.

    Args:
        text: a patch in the ``*** Begin Patch`` form or a unified or context diff.
        strip: how many components are taken off the names of a diff; None when nobody said, so
            that both the whole names and those without ``a/`` and ``b/`` are given.
    """
    if _ENVELOPE.search(text):
        yield from _envelope(text)
    else:
        yield from _diff(text, strip)


def _envelope(text: str) -> Iterator[Named]:
    section = ""
    for line in text.splitlines():
        # In a file's section these are content; what begins otherwise ends the section.
        if line[:1] and line[0] in _CONTENT[section]:
            continue
        found = _HEADER.match(line.strip())
        if found is None:
            continue
        if found[3]:
            yield Named("write", found[4].strip())
            continue
        section = found[1]
        yield Named("remove" if section == "Delete" else "write", found[2].strip())


def _diff(text: str, strip: int | None) -> Iterator[Named]:
    old = new = 0
    is_link = False
    last = ""
    for line in text.splitlines():
        if old > 0 or new > 0:
            mark = line[:1]
            old -= mark not in {"+", "\\"}
            new -= mark not in {"-", "\\"}
            if is_link and mark == "+":
                yield Named("target", posixpath.join(posixpath.dirname(last), line[1:]))
            continue
        if hunk := _HUNK.match(line):
            old, new = int(hunk[1] or 1), int(hunk[2] or 1)
        elif _LINK_MODE.match(line):
            is_link = True
        elif line.startswith("diff "):
            is_link = False
        elif found := _GIT.match(line):
            yield Named("write", _unquoted(found[2]))
        elif (found := _UNIFIED.match(line)) and not _RANGE.fullmatch(line):
            for last in _stripped(_unquoted(found[1].rstrip()), strip):
                yield Named("write", last)


def _unquoted(name: str) -> str:
    """Return a name without the quotes that git puts around unusual ones."""
    found = _QUOTED.fullmatch(name)
    return re.sub(r"\\(.)", r"\1", found[1]) if found else name


def _stripped(name: str, strip: int | None) -> Iterator[str]:
    """Yield the paths that a name in a diff may stand for."""
    if name == "/dev/null":
        return
    if strip is None:
        yield name
        strip = 1
        if not name.startswith(("a/", "b/")):
            return
    parts = re.split("/+", name)
    rest = "/".join(parts[strip:])
    if rest:
        yield rest
