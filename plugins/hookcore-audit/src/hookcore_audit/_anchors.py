"""Heads told elsewhere, so that somebody notices when the end of the log is gone."""

from __future__ import annotations

import logging
import os
import re
import sys
from typing import Final

from ._report import Anchor

__all__ = ["anchors_in", "tell_anchor"]

_log = logging.getLogger("hookcore_audit")
_told = logging.getLogger("hookcore_audit.anchor")
_ANCHOR: Final = re.compile(r"(?<![\w:])(\d{1,16}):([0-9a-f]{64})(?![\w:])")


def tell_anchor(where: str, head: Anchor) -> None:
    """Tell where the log ends; what goes wrong is logged.

    Args:
        where: ``off``, ``log``, ``stderr``, or the absolute path of a file to append to.
        head: the last record.
    """
    line = f"hookcore-audit anchor {head}"
    if where == "log":
        _told.info("%s", line)
    elif where == "stderr":
        print(line, file=sys.stderr)  # noqa: T201 - what was asked for
    elif where != "off":
        try:
            _append(where, f"{line}\n")
        except OSError as error:
            _log.warning("the audit log's anchor cannot be written to %s: %s", where, error)


def _append(path: str, line: str) -> None:
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o600)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def anchors_in(text: str) -> list[Anchor]:
    """Return the anchors in any text, such as a file of them or a program's log.

    Args:
        text: the text.
    """
    return [Anchor(int(seq), head) for seq, head in _ANCHOR.findall(text)]
