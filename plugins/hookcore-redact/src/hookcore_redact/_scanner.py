"""What in a text is to be redacted."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from ._allow import AllowList
from ._detectors import (
    CustomDetector,
    Detector,
    KeyDetector,
    PersonalDetector,
    Span,
    TokenDetector,
    context_detectors,
)
from ._pii import PERSONAL
from ._regex import Regex, compile_bytes, union

__all__ = ["Scanner"]

_SHORTEST: Final = 6  # "a@b.co"
_SHORTEST_WORD: Final = 20  # of what has neither a digit nor an "@": an AWS access key
_DIGIT_OR_AT: Final = re.compile(r"[0-9@]")
_TELLING: Final = re.compile(
    r"phone|telefon|mobile|whatsapp|^tel|cell|fax|secret|api[_-]?key|authorization", re.IGNORECASE
)
_LONGEST_NAME: Final = 40
_MOST_NAMES: Final = 4096
_BACK: Final = 64


class Scanner:
    """Finds the values of some kinds in a text.

    Args:
        kinds: the kinds, built-in ones and custom ones.
        custom: the custom patterns by name.
        allow: values that are left as they are.
        placeholders: the expression of our own placeholders, which are never touched.
    """

    def __init__(
        self,
        kinds: frozenset[str],
        custom: dict[str, Regex],
        allow: AllowList,
        placeholders: Regex,
    ) -> None:
        self.kinds = kinds
        self._allow = allow
        self._placeholders = placeholders
        tokens = TokenDetector(kinds)
        keys = [KeyDetector()] if "private_key" in kinds else []
        personal = [PersonalDetector(item) for item in PERSONAL if item.kind in kinds]
        # Of two that find the same place the first names it.
        own = (_Group([tokens, *keys, *context_detectors(kinds)]), _Group(personal))
        self._own = [group for group in own if group.hints]
        self._custom = [CustomDetector(name, custom[name]) for name in custom if name in kinds]
        hints = [hint for group in self._own for hint in group.hints]
        self._hint = compile_bytes(union(hints), capture=False) if hints else None
        self._names: dict[str, bool] = {}

    @property
    def idle(self) -> bool:
        """Whether there is nothing to look for."""
        return self._hint is None and not self._custom

    def passes_over(self, text: str) -> bool:
        """Tell at a glance that a text holds nothing; most short ones are a plain word."""
        if self._custom or len(text) >= _SHORTEST_WORD:
            return False
        return len(text) < _SHORTEST or _DIGIT_OR_AT.search(text) is None

    def is_telling(self, name: str) -> bool:
        """Tell whether a key says what its value is, so that the two are to be read together."""
        known = self._names.get(name)
        if known is None:
            if len(name) > _LONGEST_NAME:
                return False
            known = _TELLING.search(name) is not None
            if len(self._names) < _MOST_NAMES and _DIGIT_OR_AT.search(name) is None:
                self._names[name] = known
        return known

    def suspects(self, data: bytes) -> bool:
        """Tell whether a text may hold something, more quickly than by looking for it."""
        if self._hint is not None and self._hint.found_in(data):
            return True
        return any(True for custom in self._custom for _ in custom.find(data, 0))

    def spans(self, data: bytes) -> Sequence[Span]:
        """Return the places to redact, in order, none of which overlap.

        Args:
            data: the text in UTF-8, or any bytes.
        """
        found = self._found(data)
        if found:
            found = [span for span in found if not self._allow.has(data[span.start : span.end])]
        if not found:
            return ()
        if b"[" in data:
            ours = [match.span() for match in self._placeholders.all(data)]
            found = [kept for span in found for kept in _outside(span, ours)]
        return _merged(found)

    def _found(self, data: bytes) -> list[Span]:
        found: list[Span] = []
        hint = None if self._hint is None else self._hint.first(data)
        if hint is not None:
            # What stands before a token, and the head of an IPv6 address, is no part of the hint.
            start = max(0, hint.start() - _BACK)
            for group in self._own:
                found += group.find(data, start)
        for custom in self._custom:
            found += custom.find(data, 0)
        return found


class _Group:
    """Detectors that are asked together, when one of their hints is there."""

    def __init__(self, detectors: Sequence[Detector]) -> None:
        self._detectors = detectors
        self.hints = [hint for detector in detectors for hint in detector.hints]
        self._hint = compile_bytes(union(self.hints), capture=False) if self.hints else None

    def find(self, data: bytes, start: int) -> Iterable[Span]:
        """Yield what is found from ``start`` on."""
        if self._hint is not None and self._hint.found_in(data, start):
            for detector in self._detectors:
                yield from detector.find(data, start)


def _outside(span: Span, ours: Sequence[tuple[int, int]]) -> Iterable[Span]:
    """Yield what of a find is to be redacted: placeholders in it are swallowed, not opened."""
    start, end, kind = span
    first = bisect_right(ours, (start, sys.maxsize)) - 1
    if first >= 0 and start < ours[first][1]:
        start = ours[first][1]
    last = bisect_left(ours, (end, 0)) - 1
    if last >= 0 and end <= ours[last][1]:
        end = ours[last][0]
    if start < end:
        yield Span(start, end, kind)


def _merged(found: list[Span]) -> list[Span]:
    """Join finds that overlap: what both hold goes, under the name of the longer one."""
    order = sorted(enumerate(found), key=lambda item: (item[1].start, item[0]))
    merged: list[Span] = []
    longest = 0
    for _, span in order:
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            longer = span.end - span.start > longest
            kind = span.kind if longer else last.kind
            longest = max(longest, span.end - span.start)
            merged[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            merged.append(span)
            longest = span.end - span.start
    return merged
