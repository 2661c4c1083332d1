"""The detectors that may find something in a text: those of which a hint is in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from hookcore import RegexSet

from ._regex import regex_set
from ._spans import Detector

__all__ = ["Sieve"]

_ON_LINES: Final = "lines"
_OTHERS: Final = "plain"
_APART: Final = "encoded"
"""The crowd that is many states with any other where there are ids."""
_WITH_DIGITS: Final = "addresses"
"""The crowd that is many states with any other, and finds nothing in a text without digits."""
_LONGEST: Final = 2048
_FEW_DIGITS: Final = 2
_DIGITS: Final = b"0123456789"
_ID: Final = re.compile(rb"[0-9][0-9A-Za-z_-]{11}")


class Sieve:
    """Looks for the hints of all detectors.

    Hints of one crowd are looked for in one pass. In a text with an id or a key that no other is
    like, most of the time goes to states that the automaton has not been in; one for all hints
    has a state for each way in which they can meet, ten times as many. In words, states come
    again, and passes count.

    Args:
        detectors: the detectors.
        more: other hints.
    """

    def __init__(self, detectors: Sequence[Detector], more: Sequence[bytes] = ()) -> None:
        found: dict[str, list[tuple[bytes, int]]] = {}
        for at, detector in enumerate(detectors):
            found.setdefault(detector.crowd, []).extend((hint, at) for hint in detector.hints)
        found.setdefault(_OTHERS, []).extend(
            (hint, at) for at, hint in enumerate(more, len(detectors))
        )
        crowds = {name: _Crowd(hints) for name, hints in found.items()}
        self._on_lines = [crowds.pop(_ON_LINES)] if _ON_LINES in crowds else []
        self._each = list(crowds.values())
        self._with_digits = [crowds[_WITH_DIGITS]] if found.pop(_WITH_DIGITS, None) else []
        apart = found.pop(_APART, [])
        others = [hint for hints in found.values() for hint in hints]
        self._two = [_Crowd(others), *([_Crowd(apart)] if apart else [])]
        self._one = [_Crowd([*others, *apart])]

    def matching(self, data: bytes) -> list[int]:
        """Return the numbers of the detectors, and after them of other hints, that may find some.

        Args:
            data: the text.
        """
        digits = len(data) - len(data.translate(None, _DIGITS))
        if digits < _FEW_DIGITS or _ID.search(data, 0, _LONGEST) is None:
            crowds = self._one
        elif len(data) > _LONGEST:
            crowds = self._two
        else:
            on_lines = self._on_lines if b"\n" in data or b"\\n" in data else []
            return _found(data, self._each, on_lines)
        return _found(data, crowds, self._with_digits if digits else [])


def _found(data: bytes, *groups: Sequence[_Crowd]) -> list[int]:
    found: set[int] = set()
    for crowds in groups:
        for crowd in crowds:
            found |= crowd.matching(data)
    return sorted(found)


class _Crowd:
    def __init__(self, hints: Sequence[tuple[bytes, int]]) -> None:
        self._hints = tuple(hint for hint, _ in hints)
        self._owners = [owner for _, owner in hints]

    @cached_property
    def _set(self) -> RegexSet:
        return regex_set(self._hints)

    def matching(self, data: bytes) -> set[int]:
        return {self._owners[at] for at in self._set.matching(data)}
