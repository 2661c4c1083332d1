"""Programs that are asked for nothing but their version or help."""

from __future__ import annotations

from typing import Final

from ._names import names
from .commands import Segment

_VERSIONED: Final = names(
    "python python3 node ruby perl php java npm cargo rustc gcc g++ clang go pip pip3 make "
    "docker git curl wget ssh psql mysql terraform kubectl helm"
)


def asks_version(segment: Segment) -> bool:
    """Return True when a program is asked for nothing but its version or its help.

    Args:
        segment: any segment.
    """
    if len(segment.words) != 1 or segment.more:
        return False
    text = segment.words[0].text
    if text in ("--version", "--help"):
        return True
    return (text in ("-V", "-version", "version") and segment.program in _VERSIONED) or (
        text == "-v" and segment.program in ("python", "node", "npm", "ruby", "perl", "php", "git")
    )
