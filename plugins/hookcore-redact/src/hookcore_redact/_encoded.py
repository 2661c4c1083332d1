"""Values that are encoded as a whole: in base64 or in hexadecimal digits."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ._regex import compile_bytes
from ._spans import Span

__all__ = ["EncodedDetector"]

_SHAPE: Final = rb"(?:^|[^A-Za-z0-9+/_=-])([A-Za-z0-9+/_-]{20,}={0,2})"
_HINT: Final = rb"[A-Za-z0-9+/_-]{20,}"
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_HEAD: Final = 64
_MOST: Final = 1 << 20
_LEAST_HEX: Final = 24
_CONTROL: Final = frozenset(range(32)) - {9, 10, 13}


class EncodedDetector:
    """Opens what may be encoded text, and asks what is in it.

    Args:
        look: finds places in the text that was decoded.
    """

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
    if len(raw) >= _LEAST_HEX and len(raw) % 2 == 0 and all(byte in _HEX for byte in raw[:_HEAD]):
        try:
            return _text(binascii.unhexlify(raw))
        except binascii.Error:
            pass
    plain = raw.rstrip(b"=").translate(_URL_SAFE)
    if len(plain) % 4 == 1 or _text(_from_base64(plain[: _HEAD // 4 * 4])) is None:
        return None
    return _text(_from_base64(plain))


_URL_SAFE: Final = bytes.maketrans(b"-_", b"+/")


def _from_base64(plain: bytes) -> bytes:
    try:
        return base64.b64decode(plain + b"=" * (-len(plain) % 4), validate=True)
    except binascii.Error:
        return b""


def _text(data: bytes) -> bytes | None:
    if not data or any(byte in _CONTROL for byte in data[:_HEAD]):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        # The head was cut within a character.
        return data if error.start >= len(data) - 3 and len(data) <= _HEAD else None  # noqa: PLR2004
    return data
