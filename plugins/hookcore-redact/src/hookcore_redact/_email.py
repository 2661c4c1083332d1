"""E-mail addresses: around each at sign, what may belong to one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ._regex import compile_bytes
from ._spans import Span

__all__ = ["EmailDetector", "SpelledEmailDetector"]

_DOMAIN: Final = re.compile(
    rb"(?:[A-Za-z0-9\x80-\xff-]{1,63}\.){1,10}(?:xn--[A-Za-z0-9-]{2,59}"
    rb"|[A-Za-z]{2,24})(?![A-Za-z0-9\x80-\xff_-]*@)"
)
_PLAIN: Final = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._+-]*")
_ANY: Final = re.compile(rb"[A-Za-z0-9\x80-\xff._%+'-]{0,128}")
_NO_ENDINGS: Final = frozenset(
    b"png jpg jpeg gif svg webp avif css js mjs json woff woff2 pdf ts tsx jsx py md yml yaml sh "
    b"service socket timer target mount slice scope path device swap automount".split()
)
"""Endings of files and of systemd's units."""
_NO_DOMAINS: Final = (b"openssh.com", b"libssh.org", b"lysator.liu.se")
"""Domains of SSH's algorithms."""
_USER_INFO: Final = re.compile(rb"[A-Za-z]:(?:\\{0,15}/){2}[^\s/?#\"'<>]*:[^\s/?#\"'<>]*$")
_ESCAPES: Final = frozenset(b"nrtbf")
_OTHER_SCRIPT: Final = 0x530  # what is beyond Latin, Greek and Cyrillic is rarely in an address
_COLOUR: Final = re.compile(rb"\x1b\[[0-9;]*m")
_PERCENT: Final = re.compile(rb"%[0-9A-Fa-f]{2}")
_EDGES: Final = frozenset(b"\\%'[")
_BACK: Final = 128
_QUOTED: Final = 66


class EmailDetector:
    """Finds addresses."""

    crowd = "plain"
    hints: tuple[bytes, ...] = (rb"@[A-Za-z0-9\x80-\xff-]+\.[A-Za-z0-9\x80-\xff]",)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        at = data.find(b"@")
        done = 0
        while at >= 0:
            domain = _DOMAIN.match(data, at + 1)
            if domain is not None:
                end = domain.end()
                start = _local_part(data, done, at)
                if start < at and not _is_none(data, start, at, end):
                    yield Span(start, end, "email")
                    done = end
                at = data.find(b"@", end)
            else:
                at = data.find(b"@", at + 1)


def _is_none(data: bytes, start: int, at: int, end: int) -> bool:
    if data[data.rfind(b".", at, end) + 1 : end].lower() in _NO_ENDINGS:
        return True
    if data.endswith(_NO_DOMAINS, at, end):
        return True
    if data[start:at] == b"git" and data[end : end + 1] == b":":
        return True
    # A password in a URL is a kind of its own, and its host is no address's domain.
    begin = max(0, at - 2 * _BACK)
    marked = data.find(b"://", begin, at) >= 0 or data.find(b":\\/", begin, at) >= 0
    return marked and _USER_INFO.search(data, begin, at) is not None


def _local_part(data: bytes, done: int, at: int) -> int:
    """Return where the local part begins: not at quotes, escapes or another script's words."""
    first = max(done, at - _BACK)
    space = data.rfind(b" ", first, at) + 1
    if space and _PLAIN.fullmatch(data, space, at):
        return space
    behind = data[first:at][::-1]
    length = _length_of_plain(behind)
    if length:
        start = at - length
        ahead = data[start - 1] if start else 32
        if ahead < 128 and ahead not in _EDGES:  # noqa: PLR2004 - ASCII
            return start
    if behind[:1] == b'"':
        return _quoted(data, max(done, at - _QUOTED), at)
    match = _ANY.match(behind)
    return at if match is None else _trimmed(data, at - match.end(), at)


_RUN: Final = re.compile(rb"[A-Za-z0-9._+-]*")


def _length_of_plain(behind: bytes) -> int:
    match = _RUN.match(behind)
    length = 0 if match is None else match.end()
    while length and behind[length - 1] in b"._+-":
        length -= 1
    return length


def _quoted(data: bytes, first: int, at: int) -> int:
    escapes = 1
    while data[at - 1 - escapes : at - escapes] == b"\\":
        escapes += 1
    opening = data.rfind(b'"', first, at - escapes)
    if opening < 0 or b"\n" in data[opening:at] or at - opening < 4:  # noqa: PLR2004 - '"a"'
        return at
    inside = data[opening + 1 : at - escapes]
    return opening if inside and not inside.startswith((b" ", b",", b":")) else at


def _trimmed(data: bytes, start: int, at: int) -> int:
    if data[start - 1 : start] == b"\\" and data[start] in _ESCAPES and at - start > 1:
        start += 1
    elif data[start : start + 1] == b"%" and _PERCENT.match(data, start):
        start += 3
    colour = _COLOUR.search(data, max(0, start - 8), at)
    if colour is not None:
        start = max(start, colour.end())
    local = data[start:at].decode("utf-8", "replace")
    kept = at
    for character in reversed(local):
        size = len(character.encode("utf-8", "replace"))
        if ord(character) >= _OTHER_SCRIPT or kept - size < start:
            break
        kept -= size
    while kept < at and data[kept] in b".%+'-_":
        kept += 1
    return kept


_SPELLED: Final = (
    rb"([A-Za-z0-9][A-Za-z0-9._+-]{0,40} ?(?:[\[({] ?(?i:at|@) ?[\])}]|[ ]AT[ ]) ?"
    rb"[A-Za-z0-9-]{1,40}(?: ?(?:[\[({] ?(?i:dot|\.) ?[\])}]|[ ]DOT[ ]"
    rb"|\.) ?[A-Za-z0-9-]{2,40}){1,3})"
)


class SpelledEmailDetector:
    """Finds addresses in which marks are spelled out: ``mia [at] example [dot] com``."""

    crowd = "plain"
    hints: tuple[bytes, ...] = (rb"(?:[\[({] ?(?i:at|@) ?[\])}]|[ ]AT[ ]) ?[A-Za-z0-9]",)

    def __init__(self) -> None:
        self._regex = compile_bytes(_SPELLED)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield what is found."""
        for match in self._regex.all(data):
            start, end = match.span(1)
            yield Span(start, end, "email")
