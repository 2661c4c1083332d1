"""Finding places in a text: one detector for each way in which something gives itself away."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from hookcore import Regex

from ._contexts import hint_of
from ._pii import Personal
from ._regex import compile_bytes
from ._spans import Span
from ._tokens import BEGINNING, TOKENS

__all__ = ["CustomDetector", "KeyDetector", "PersonalDetector", "TokenDetector", "token_detectors"]

_STAND_IN: Final = re.compile(
    rb"x{8,}|X{8,}|\*{3,}|(?:^|[-_.])(?:your|my|insert|replace|placeholder|example|redacted"
    rb"|changeme|dummy|"
    rb"sample|fake)(?:[-_]|$)|[-_](?:here|goes)(?:[-_]|$)|(?:^|[-_])(?:YOUR|INSERT|REPLACE"
    rb"|PLACEHOLDER)[-_]"
)


class TokenDetector:
    """Finds the secrets of one shape, which are known by how they begin.

    Args:
        kind: what they are.
        shape: the expression.
    """

    def __init__(self, kind: str, shape: bytes) -> None:
        self._kind = kind
        self.hints: tuple[bytes, ...] = (hint_of(shape),)
        # One that begins with any letter or digit is on its way all the time.
        self.crowd = "open" if shape.startswith(b"[") else "plain"
        self._regex = compile_bytes(BEGINNING + b"(" + shape + b")")

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        for match in self._regex.all(data):
            start, end = match.span(1)
            if _STAND_IN.search(data, start, end) is None:
                yield Span(start, end, self._kind)


def token_detectors(kinds: frozenset[str]) -> list[TokenDetector]:
    """Return the detectors of secrets that are known by how they begin."""
    return [TokenDetector(kind, shape) for kind, shape in TOKENS if kind in kinds]


_KEY_LABEL: Final = rb"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_KEY_HEAD: Final = rb"-----BEGIN " + _KEY_LABEL
_KEY_END: Final = rb"-----END " + _KEY_LABEL
# What may stand in a key that was cut off, also where it is quoted in a program or a log.
_KEY_REST: Final = rb"[A-Za-z0-9+/=\s\\:,.\-\"'|>#;*()]*"
_KEY_BODY: Final = rb"[A-Za-z0-9+/=]{24}"


class KeyDetector:
    """Finds private keys in PEM form, also those that were cut off."""

    crowd = "plain"

    def __init__(self) -> None:
        self.hints: tuple[bytes, ...] = (rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY",)
        self._head, self._end = compile_bytes(_KEY_HEAD), compile_bytes(_KEY_END)
        self._rest, self._body = compile_bytes(_KEY_REST), compile_bytes(_KEY_BODY)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        # Each mark is searched for once: looking from every beginning for its end, or for what
        # makes it a key, would make a text full of beginnings slow.
        ends = [match.end() for match in self._end.all(data)]
        content = self._body.first(data)
        done = 0
        for head in self._head.all(data):
            begin, body = head.span()
            if begin < done:
                continue
            if content is not None and content.start() < body:
                content = self._body.first(data, body)
            if content is None:
                return
            at = bisect_right(ends, body)
            end: int = ends[at] if at < len(ends) else self._rest.at(data, body).end()
            if content.end() <= end:
                yield Span(begin, end, "private_key")
                done = end


class PersonalDetector:
    """Finds one kind of personal data by its form, and checks each candidate."""

    def __init__(self, personal: Personal) -> None:
        self._kind = personal.kind
        self._needs = personal.needs
        self._check = personal.check
        self.hints: tuple[bytes, ...] = (personal.hint or personal.shape,)
        self.crowd = "national" if personal.kind == "national_id" else "people"
        self._regex = compile_bytes(personal.shape)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        if self._needs not in data:
            return
        match = self._regex.first(data)
        while match is not None:
            begin, end = match.span(1)
            place = self._check(data, begin, end)
            if place is not None:
                yield Span(*place, self._kind)
                next_start = max(place[1], begin + 1)
            else:
                # Inside a refused candidate there may be a right one; candidates are short.
                next_start = begin + 1
            match = self._regex.first(data, next_start)


class CustomDetector:
    """Finds an operator's own pattern; its first group, if it has one, is what counts."""

    def __init__(self, kind: str, regex: Regex) -> None:
        self._kind = kind
        self._regex = regex
        self._group = 1 if regex.groups else 0

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        for match in self._regex.all(data):
            begin, end = match.span(self._group)
            if end > begin:
                yield Span(begin, end, self._kind)
