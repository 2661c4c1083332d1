"""The town that stands behind a street, with its code."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["CAPITAL", "EDGE", "LETTERS", "TOWN"]

CAPITAL: Final = rb"(?:[A-Z]|[\xc3-\xc5][\x80-\xbf])"
LETTERS: Final = rb"(?:[A-Za-z.-]|[\xc3-\xc5][\x80-\xbf]|'(?=[A-Za-z]))"
EDGE: Final = rb"\\[nrtbf]|\x1b\[[0-9;]*m"
"""Characters that end in a letter, and separate."""
_NAME: Final = (
    CAPITAL + LETTERS + rb"{1,24}(?: (?:(?:am|an|der|de|la|do|sur|les|of|im) ){0,2}"
    + CAPITAL + LETTERS + rb"{1,24}){0,3}"
)  # fmt: skip
_BEFORE: Final = (
    rb"(?:[A-Z]{1,2}-)?(?:[0-9]{2}-[0-9]{3}|[0-9]{4}-[0-9]{3}|[0-9]{3} [0-9]{2}|[0-9]{4} [A-Z]{2}"
    rb"|[0-9]{4,5})"
)
_BRITISH: Final = rb"[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}"
_CANADIAN: Final = rb"[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]"
_BEHIND: Final = (
    rb"(?:(?:[A-Z]{2,3}\.?,? )?(?:" + _CANADIAN + rb"|[0-9]{5}-[0-9]{3,4}|[0-9]{5,6})"
    rb"|[A-Z]{2,3} [0-9]{4}|" + _BRITISH + rb")"
)
_GAP: Final = rb"(?:,? ?(?:\r?\n|\\n)[ ]*|, ?| - | )"
TOWN: Final = re.compile(
    rb"\.?(?:" + _GAP + rb"(?:" + _BEFORE + rb" " + _NAME + rb"|"
    rb"(?:" + _NAME + rb"(?:, ?| - | |\r?\n)){1,3}?" + _BEHIND + rb"))(?![A-Za-z0-9])"
)
"""Matches what follows a street: ``, 10969 Berlin``, ``, Boise, ID 83702``."""
