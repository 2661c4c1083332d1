"""Finds that overlap each other or our own placeholders."""

from __future__ import annotations

import itertools
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from ._spans import Span

__all__ = ["merged", "outside"]


def outside(span: Span, ours: Sequence[tuple[int, int]]) -> Iterable[Span]:
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


def merged(found: list[Span]) -> list[Span]:
    """Join finds that overlap: what both hold goes, under the name of the longer one."""
    if all(first.end <= second.start for first, second in itertools.pairwise(found)):
        return found
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
