"""The events of a streamed model response: how the boundary reads and writes them."""

from __future__ import annotations

from .codec import PartsCodec, StreamCodec
from .default import DEFAULT_CODEC, DefaultCodec
from .parts import CallPart, EndPart, Key, Part, Parts, TextPart

__all__ = [
    "DEFAULT_CODEC",
    "CallPart",
    "DefaultCodec",
    "EndPart",
    "Key",
    "Part",
    "Parts",
    "PartsCodec",
    "StreamCodec",
    "TextPart",
]
