"""Finding places in a text: one detector for each way in which something gives itself away."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from ._pii import Personal
from ._regex import Regex, compile_bytes
from ._tokens import BEGINNING, CONTEXTS, TOKENS

__all__ = [
    "ContextDetector",
    "CustomDetector",
    "Detector",
    "KeyDetector",
    "PersonalDetector",
    "Span",
    "TokenDetector",
]


class Span(NamedTuple):
    """A place in a text, and what stands there."""

    start: int
    end: int
    kind: str


_COUNT: Final = re.compile(rb"\{([0-9]+)(,[0-9]*)?\}")
_MOST_COUNTED: Final = 10


def hint_of(shape: bytes) -> bytes:
    """Return a shape that matches wherever another does, and that counts no further than ten.

    An automaton that counts to 64 has many more states, and each costs time when it is first met.
    """

    def lower(match: re.Match[bytes]) -> bytes:
        least = int(match[1])
        if match[2] is None and least <= _MOST_COUNTED:
            return match[0]
        return {0: b"*", 1: b"+"}.get(least, b"{%d,}" % min(least, _MOST_COUNTED))

    return _COUNT.sub(lower, shape)


class Detector(Protocol):
    """Finds kinds of one make."""

    hints: tuple[bytes, ...]
    """Expressions one of which is found wherever the detector finds something."""

    def find(self, data: bytes, start: int) -> Iterator[Span]:
        """Yield what is found from ``start`` on."""
        ...


class TokenDetector:
    """Finds the secrets that are known by how they begin, all in one search."""

    def __init__(self, kinds: frozenset[str]) -> None:
        chosen = [(kind, shape) for kind, shape in TOKENS if kind in kinds]
        self._kinds = tuple(kind for kind, _ in chosen)
        shapes = b"|".join(b"(" + shape + b")" for _, shape in chosen)
        self.hints: tuple[bytes, ...] = tuple(hint_of(shape) for _, shape in chosen)
        self._regex = compile_bytes(BEGINNING + b"(?:" + shapes + b")") if chosen else None

    def find(self, data: bytes, start: int) -> Iterator[Span]:
        """Yield what is found from ``start`` on."""
        if self._regex is None:
            return
        for match in self._regex.all(data, start):
            for index, kind in enumerate(self._kinds, 1):
                if match.start(index) >= 0:
                    start_of, end_of = match.span(index)
                    yield Span(start_of, end_of, kind)
                    break


class ContextDetector:
    """Finds one kind of secret by what stands around it."""

    def __init__(self, kind: str, shape: bytes) -> None:
        self._kind = kind
        self.hints: tuple[bytes, ...] = (hint_of(shape),)
        self._regex = compile_bytes(shape)

    def find(self, data: bytes, start: int) -> Iterator[Span]:
        """Yield what is found from ``start`` on."""
        for match in self._regex.all(data, start):
            start, end = match.span(1)
            if _is_secret(self._kind, data, start, end):
                yield Span(start, end, self._kind)


_TEMPLATES: Final = (b"$", b"{", b"<", b"%", b"*", b"[")
_BASE64: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/=")


def _is_secret(kind: str, data: bytes, start: int, end: int) -> bool:
    value = data[start:end]
    if kind == "aws_secret_key":
        return end >= len(data) or data[end] not in _BASE64
    if kind == "url_password":
        return not value.startswith(_TEMPLATES)
    if kind in ("api_key", "bearer_token") and b"/" not in value:
        # A word, a path in a program or a name of a variable has no digits.
        return any(48 <= byte <= 57 for byte in value)  # noqa: PLR2004 - "0" to "9"
    return True


_KEY_LABEL: Final = rb"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_KEY_HEAD: Final = rb"-----BEGIN " + _KEY_LABEL
_KEY_END: Final = rb"-----END " + _KEY_LABEL
# What may stand in a key that was cut off, also where it is quoted in a program or a log.
_KEY_REST: Final = rb"[A-Za-z0-9+/=\s\\:,.\-\"'|>#;*()]*"
_KEY_BODY: Final = rb"[A-Za-z0-9+/=]{24}"


class KeyDetector:
    """Finds private keys in PEM form, also those that were cut off."""

    def __init__(self) -> None:
        self.hints: tuple[bytes, ...] = (_KEY_HEAD,)
        self._head, self._end = compile_bytes(_KEY_HEAD), compile_bytes(_KEY_END)
        self._rest, self._body = compile_bytes(_KEY_REST), compile_bytes(_KEY_BODY)

    def find(self, data: bytes, start: int) -> Iterator[Span]:
        """Yield what is found from ``start`` on."""
        # Each mark is searched for once: looking from every beginning for its end, or for what
        # makes it a key, would make a text full of beginnings slow.
        ends = [match.end() for match in self._end.all(data, start)]
        content = self._body.first(data, start)
        done = 0
        for head in self._head.all(data, start):
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
        self._regex = compile_bytes(personal.shape)

    def find(self, data: bytes, start: int) -> Iterator[Span]:
        """Yield what is found from ``start`` on."""
        if self._needs not in data:
            return
        match = self._regex.first(data, start)
        while match is not None:
            begin, end = match.span(1)
            place = self._check(data, begin, end)
            if place is not None:
                yield Span(*place, self._kind)
                next_start = max(place[1], begin + 1)
            else:
                # Inside a refused candidate there may be a right one. Candidates are short, but
                # for addresses, where nothing but the whole can be right.
                next_start = end if self._kind == "email" else begin + 1
            match = self._regex.first(data, next_start)


class CustomDetector:
    """Finds an operator's own pattern; its first group, if it has one, is what counts."""

    def __init__(self, kind: str, regex: Regex) -> None:
        self._kind = kind
        self._regex = regex
        self._group = 1 if regex.groups else 0

    def find(self, data: bytes, start: int) -> Iterator[Span]:
        """Yield what is found in the text, whatever ``start`` is: patterns may be anchored."""
        del start
        for match in self._regex.all(data):
            begin, end = match.span(self._group)
            if end > begin:
                yield Span(begin, end, self._kind)


def context_detectors(kinds: frozenset[str]) -> list[ContextDetector]:
    """Return the detectors of secrets that are known by their surroundings."""
    return [ContextDetector(kind, shape) for kind, shape in CONTEXTS if kind in kinds]
