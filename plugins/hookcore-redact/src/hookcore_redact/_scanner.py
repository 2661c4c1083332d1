"""Find what in a text is to be redacted."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from typing import Final

from hookcore import Regex

from ._allow import AllowList
from ._catalogue import LINERS, LONGEST_NAME, Catalogue
from ._detectors import CustomDetector
from ._merge import merged, outside
from ._recent import Recent
from ._regex import Expression
from ._sieve import Sieve
from ._spans import Span
from ._views import DEEPEST, LINES, MARKS, resolved

__all__ = ["Scanner"]

_SHORTEST: Final = 6  # "a@b.co"
_SHORTEST_WORD: Final = 20  # of what has nothing but letters and spaces: an AWS access key
_MARKS: Final = re.compile(r"[0-9@=:%&\\/]|[^\x00-\x7f]")
_MOST_NAMES: Final = 4096
_MOST_TIMES: Final = 4
"""The times that a value may be encoded."""


class _Within(threading.local):
    """The times that the text was encoded which a thread is in."""

    times = 0


class Scanner:
    """Finds the values of some kinds in a text.

    Args:
        kinds: the kinds, built-in ones and custom ones.
        custom: the custom patterns by name.
        allow: values that are left as they are.
        placeholders: the expression of our own placeholders, which are never touched.
        labels: an operator's own labels of secrets.
        decode: whether text is also read as what its escapes stand for.
    """

    def __init__(
        self,
        kinds: frozenset[str],
        custom: dict[str, Regex],
        allow: AllowList,
        placeholders: Expression,
        labels: Iterable[str] = (),
        *,
        decode: bool = True,
    ) -> None:
        self.kinds = kinds
        self._allow = allow
        self._placeholders = placeholders
        self._decode = decode
        self._catalogue = Catalogue(kinds, tuple(labels), self._in_decoded if decode else None)
        self._detectors = self._catalogue.detectors
        self._sieve = Sieve(self._detectors, (MARKS, LINES))
        self._liners = {at for at, one in enumerate(self._detectors) if isinstance(one, LINERS)}
        self._custom = [CustomDetector(name, custom[name]) for name in custom if name in kinds]
        self._names: dict[str, bool] = {}
        self._recent = Recent(self._spans)
        self._within = _Within()

    @property
    def idle(self) -> bool:
        """True when there is nothing to look for."""
        return not self._detectors and not self._custom

    def passes_over(self, text: str) -> bool:
        """Tell at a glance that a text holds nothing; most short ones are a plain word."""
        if self._custom or len(text) >= _SHORTEST_WORD:
            return False
        return len(text) < _SHORTEST or _MARKS.search(text) is None

    def is_telling(self, name: str) -> bool:
        """Tell whether a key says what its value is, so that the two are to be read together."""
        known = self._names.get(name)
        if known is None:
            if len(name) > LONGEST_NAME:
                return False
            known = self._catalogue.names(self._without_placeholders(name))
            if len(self._names) < _MOST_NAMES:
                self._names[name] = known
        return known

    def _without_placeholders(self, name: str) -> str:
        """Return a name without those of ours, which name kinds and say nothing of a value."""
        if "[" not in name:
            return name
        data, at, kept = name.encode("utf-8", "surrogatepass"), 0, list[bytes]()
        for match in self._placeholders.all(data):
            kept.append(data[at : match.start()])
            at = match.end()
        return b"".join([*kept, data[at:]]).decode("utf-8", "replace")

    def whole(self, name: str, value: bytes) -> str | None:
        """Return the kind of a whole value by its name, None when the name does not tell.

        Args:
            name: a key or a field's name.
            value: its value.
        """
        kind = self._catalogue.of_value(name, value)
        return None if kind is None or self._allow.has(value) else kind

    def spans(self, data: bytes) -> Sequence[Span]:
        """Return the places to redact, in order, none of which overlap.

        Args:
            data: the text in UTF-8, or any bytes.
        """
        return self._recent.spans(data)

    def _spans(self, data: bytes) -> Sequence[Span]:
        found, again = self._found(data)
        text, view, depth = data, None, 0
        while again and depth < DEEPEST and (view := resolved(text, view)) is not None:
            text, depth = view.data, depth + 1
            inside, again = self._found(text)
            found += [Span(*view.origin(span.start, span.end), span.kind) for span in inside]
        if not found:
            return ()
        if b"[" in data:
            ours = [match.span() for match in self._placeholders.all(data)]
            found = [kept for span in found for kept in outside(span, ours)]
        return merged(found)

    def _in_decoded(self, data: bytes) -> Sequence[Span]:
        """Return what is found in a text that was encoded, once or a few times."""
        within = self._within
        if within.times >= _MOST_TIMES:
            return ()
        within.times += 1
        try:
            return self._spans(data)
        finally:
            within.times -= 1

    def _found(self, data: bytes) -> tuple[list[Span], bool]:
        """Return what is found, and whether the text is to be read with its escapes resolved."""
        found: list[Span] = []
        matching = self._sieve.matching(data)
        again = False
        if matching:
            marks = len(self._detectors)
            asked = [at for at in matching if at < marks]
            for at in asked:
                found += self._detectors[at].find(data)
            again = self._decode and (
                marks in matching or (marks + 1 in matching and not self._liners.isdisjoint(asked))
            )
        for custom in self._custom:
            found += custom.find(data)
        if self._allow:
            found = [span for span in found if not self._allow.has(data[span.start : span.end])]
        return found, again
