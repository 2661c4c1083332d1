"""The placeholders of redacted values, in three styles."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final, Literal

from ._regex import Expression, compile_bytes
from .kinds import tag_of

__all__ = ["Style", "hashed", "identity", "numbers_in", "placeholder_pattern"]

Style = Literal["typed", "fixed", "hash"]

_SUFFIXES: Final[dict[Style, str]] = {"typed": r"_[0-9]{1,6}", "fixed": "", "hash": ":[0-9a-f]{8}"}
_HASH_BYTES: Final = 4
_BELIEVED: Final = 9_999
"""A higher number in a text was written by somebody who wants us to run out of them."""


def placeholder_pattern(style: Style, kinds: Iterable[str]) -> Expression:
    """Return an expression that matches the placeholders of a style.

    Args:
        style: the style.
        kinds: all kinds that there are.
    """
    tags = "|".join(re.escape(tag_of(kind)) for kind in sorted(kinds))
    return compile_bytes(rf"\[(?:{tags}){_SUFFIXES[style]}\]".encode())


def identity(kind: str, value: bytes) -> bytes:
    """Return what makes two values the same one: not their spaces or their case, where none count.

    Args:
        kind: the values' kind.
        value: one of them.
    """
    if kind in ("card", "phone", "us_ssn"):
        return bytes(byte for byte in value if byte not in b" -./()\t")
    if kind == "iban":
        return value.replace(b" ", b"").replace(b"-", b"").upper()
    return value.lower() if kind in ("email", "ip") else value


def hashed(kind: str, value: bytes, key: bytes) -> str:
    """Return a placeholder in which a keyed hash stands for the value.

    Args:
        kind: the value's kind.
        value: what makes the value what it is.
        key: without it nobody can try values out.
    """
    digest = hashlib.blake2b(value, key=key, digest_size=_HASH_BYTES).hexdigest()
    return f"[{tag_of(kind)}:{digest}]"


def numbers_in(texts: Iterable[bytes], pattern: Expression) -> dict[str, int]:
    """Return the highest number of each tag among the numbered placeholders in texts."""
    highest: dict[str, int] = {}
    for text in texts:
        if b"[" not in text:
            continue
        for match in pattern.all(text):
            start, end = match.span()
            tag, _, number = text[start + 1 : end - 1].decode().rpartition("_")
            if int(number) <= _BELIEVED:
                highest[tag] = max(highest.get(tag, 0), int(number))
    return highest
