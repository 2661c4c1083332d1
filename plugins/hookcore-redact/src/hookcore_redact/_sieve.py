"""The detectors that may find something in a text: those of which a hint is in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from hookcore import RegexSet

from ._regex import regex_set
from ._spans import Detector

__all__ = ["Sieve"]

_LONG: Final = 1 << 16
_ON_LINES: Final = "lines"
_OTHERS: Final = "plain"


class Sieve:
    """Looks for the hints of all detectors.

    Hints of one crowd are looked for in one pass. In a short text that no other is like, such as
    an id, most of the time goes to states that the automaton has not been in; one for all hints
    has a state for each way in which they can meet, ten times as many. In a long text states come
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
        self._crowds = [_Crowd(hints) for crowd, hints in found.items() if crowd != _ON_LINES]
        self._on_lines = [_Crowd(hints) for crowd, hints in found.items() if crowd == _ON_LINES]
        self._whole = _Crowd([hint for hints in found.values() for hint in hints])

    def matching(self, data: bytes) -> list[int]:
        """Return the numbers of the detectors, and after them of other hints, that may find some.

        Args:
            data: the text.
        """
        if len(data) >= _LONG:
            return sorted(self._whole.matching(data))
        found: set[int] = set()
        for crowd in self._crowds:
            found |= crowd.matching(data)
        if b"\n" in data or b"\\n" in data:
            for crowd in self._on_lines:
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
