"""The events of a streamed model response: how the boundary reads and writes them."""

from __future__ import annotations

from .codec import PartsCodec, StreamCodec
from .default import DEFAULT_CODEC, DefaultCodec
from .parts import Key, Part, Parts, StreamCall, StreamEnd, StreamText

__all__ = [
    "DEFAULT_CODEC",
    "DefaultCodec",
    "Key",
    "Part",
    "Parts",
    "PartsCodec",
    "StreamCall",
    "StreamCodec",
    "StreamEnd",
    "StreamText",
]
