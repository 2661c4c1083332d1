"""Values that are encoded as a whole: in base64, base32 or hexadecimal digits."""

from __future__ import annotations

import binascii
import re
import zlib
from base64 import b32decode
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ._regex import compile_bytes
from ._spans import Span

__all__ = ["EncodedDetector", "PairsDetector"]

_SHAPE: Final = rb"(?:^|[^A-Za-z0-9+/_-])([A-Za-z0-9+/_-]{20,}={0,6})"
_HINT: Final = rb"[A-Za-z0-9+/_-]{20,}"
_PAIRS: Final = rb"((?:[0-9A-Fa-f]{2}[ :-]){9,}[0-9A-Fa-f]{2})"
_PAIRS_HINT: Final = rb"(?:[0-9A-Fa-f]{2}[ :-]){4}"
_MORE_LINES: Final = re.compile(rb"(?:\r?\n[ \t]*[A-Za-z0-9+/]{1,76})+={0,2}(?![A-Za-z0-9+/=])")
_SHORTEST_LINE: Final = 60
_LONGEST_LINE: Final = 76
_HEX: Final = b"0123456789abcdefABCDEF"
_BASE32: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BETWEEN: Final = b" :-"
_SPACE: Final = b" \t\r\n"
_HEAD: Final = 16
_STANDARD: Final = bytes.maketrans(b"-_", b"+/")
_MOST: Final = 1 << 20
_LEAST_HEX: Final = 24
_GZIP: Final = b"\x1f\x8b\x08"
_ANY_HEADER: Final = 47
_CONTROL: Final = bytes(set(range(32)) - {9, 10, 13})

Look = Callable[[bytes], Sequence[Span]]


class EncodedDetector:
    """Opens what may be encoded text, and asks what is in it.

    Args:
        look: finds places in the text that was decoded.
    """

    crowd = "encoded"
    hints: tuple[bytes, ...] = (_HINT,)

    def __init__(self, look: Look) -> None:
        self._look = look
        self._regex = compile_bytes(_SHAPE)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield the whole of each encoded text in which something is found."""
        done = 0
        for match in self._regex.all(data):
            start, end = match.span(1)
            if start < done:
                continue
            end = _end_of_lines(data, start, end)
            kind = _kind_in(decoded(data[start:end]), self._look)
            if kind is not None:
                yield Span(start, end, kind)
                done = end


class PairsDetector:
    """Opens hexadecimal digits that stand in pairs: ``6d 69 61``, ``6D:69:61``.

    Args:
        look: finds places in the text that was decoded.
    """

    crowd = "plain"
    hints: tuple[bytes, ...] = (_PAIRS_HINT,)

    def __init__(self, look: Look) -> None:
        self._look = look
        self._regex = compile_bytes(_PAIRS)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield the whole of each encoded text in which something is found."""
        for match in self._regex.all(data):
            start, end = match.span(1)
            if end - start > _MOST:
                continue
            kind = _kind_in(_text(_from_hex(data[start:end].translate(None, _BETWEEN))), self._look)
            if kind is not None:
                yield Span(start, end, kind)


def _kind_in(text: bytes | None, look: Look) -> str | None:
    """Return what the longest find in a text is."""
    inside = () if text is None else look(text)
    return max(inside, key=lambda span: span.end - span.start).kind if inside else None


def _end_of_lines(data: bytes, start: int, end: int) -> int:
    """Return where a text that is encoded in lines ends, as in a mail."""
    if _SHORTEST_LINE <= end - start <= _LONGEST_LINE and data[end : end + 1] in (b"\n", b"\r"):
        more = _MORE_LINES.match(data, end)
        if more is not None and more.end() - start <= _MOST:
            return more.end()
    return end


def decoded(raw: bytes) -> bytes | None:
    """Return the text that is encoded, None when it is none."""
    if len(raw) > _MOST:
        return None
    digits = raw[2:] if raw[:2] in (b"0x", b"0X") else raw
    if (
        len(digits) >= _LEAST_HEX
        and len(digits) % 2 == 0
        and not digits[:_HEAD].translate(None, _HEX)
    ):
        return _opened(_from_hex(digits))
    plain = raw.rstrip(b"=")
    if not plain[:_HEAD].translate(None, _BASE32):
        text = _text(_from_base32(plain))
        if text is not None:
            return text
    plain = plain.translate(_STANDARD, _SPACE)
    if len(plain) % 4 == 1:
        return None
    head = _from_base64(plain[:_HEAD])
    if not (_begins_as_text(head) or _is_wide(head) or head.startswith(_GZIP)):
        return None
    return _opened(_from_base64(plain))


def _opened(data: bytes) -> bytes | None:
    """Return the text that bytes are: as they are, in two bytes a character, or compressed."""
    if data.startswith(_GZIP):
        try:
            return _text(zlib.decompressobj(_ANY_HEADER).decompress(data, _MOST))
        except zlib.error:
            return None
    return _narrow(data) if _is_wide(data[:_HEAD]) else _text(data)


def _from_hex(raw: bytes) -> bytes:
    try:
        return binascii.unhexlify(raw)
    except binascii.Error:
        return b""


def _from_base32(plain: bytes) -> bytes:
    try:
        return b32decode(plain + b"=" * (-len(plain) % 8))
    except binascii.Error:
        return b""


def _from_base64(plain: bytes) -> bytes:
    try:
        return binascii.a2b_base64(plain + b"=" * (-len(plain) % 4))
    except binascii.Error:
        return b""


def _is_wide(data: bytes) -> bool:
    """Tell whether bytes may begin a text of two bytes for each character, as PowerShell's."""
    return len(data) > 1 and not data[1::2].strip(b"\0") and b"\0" not in data[::2]


def _narrow(data: bytes) -> bytes | None:
    try:
        return _text(data.decode("utf-16-le").encode())
    except UnicodeError:
        return None


def _begins_as_text(data: bytes) -> bool:
    """Tell whether bytes may begin a text: what is random has control characters soon."""
    if len(data.translate(None, _CONTROL)) != len(data):
        return False
    return data.isascii() or _text(data) is not None or _text(data[:-3]) is not None


def _text(data: bytes) -> bytes | None:
    if not data or len(data.translate(None, _CONTROL)) != len(data):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return data
