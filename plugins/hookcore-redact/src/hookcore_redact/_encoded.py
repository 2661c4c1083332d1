"""Values that are encoded as a whole: in base64 or in hexadecimal digits."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ._regex import compile_bytes
from ._spans import Span

__all__ = ["EncodedDetector"]

_SHAPE: Final = rb"(?:^|[^A-Za-z0-9+/_=-])([A-Za-z0-9+/_-]{20,}={0,2})"
_HINT: Final = rb"[A-Za-z0-9+/_-]{20,}"
_HEX: Final = b"0123456789abcdefABCDEF"
_HEAD: Final = 16
_STANDARD: Final = bytes.maketrans(b"-_", b"+/")
_MOST: Final = 1 << 20
_LEAST_HEX: Final = 24
_CONTROL: Final = bytes(set(range(32)) - {9, 10, 13})


class EncodedDetector:
    """Opens what may be encoded text, and asks what is in it.

    Args:
        look: finds places in the text that was decoded.
    """

    crowd = "encoded"
    hints: tuple[bytes, ...] = (_HINT,)

    def __init__(self, look: Callable[[bytes], Sequence[Span]]) -> None:
        self._look = look
        self._regex = compile_bytes(_SHAPE)

    def find(self, data: bytes) -> Iterator[Span]:
        """Yield the whole of each encoded text in which something is found."""
        for match in self._regex.all(data):
            start, end = match.span(1)
            text = decoded(data[start:end])
            if text is None:
                continue
            inside = self._look(text)
            if inside:
                longest = max(inside, key=lambda span: span.end - span.start)
                yield Span(start, end, longest.kind)


def decoded(raw: bytes) -> bytes | None:
    """Return the text that is encoded, None when it is none."""
    if len(raw) > _MOST:
        return None
    if len(raw) >= _LEAST_HEX and len(raw) % 2 == 0 and not raw[:_HEAD].translate(None, _HEX):
        return _text(_from_hex(raw))
    plain = raw.rstrip(b"=").translate(_STANDARD)
    if len(plain) % 4 == 1 or not _begins_as_text(_from_base64(plain[:_HEAD])):
        return None
    return _text(_from_base64(plain))


def _from_hex(raw: bytes) -> bytes:
    try:
        return binascii.unhexlify(raw)
    except binascii.Error:
        return b""


def _from_base64(plain: bytes) -> bytes:
    try:
        return binascii.a2b_base64(plain + b"=" * (-len(plain) % 4))
    except binascii.Error:
        return b""


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
