"""The events of a streamed model response: how the boundary reads and writes them."""

from __future__ import annotations

from .streams.codec import (
    CallPart,
    EndPart,
    Key,
    Part,
    Parts,
    PartsCodec,
    StreamCodec,
    TextPart,
)
from .streams.default import DEFAULT_CODEC, DefaultCodec

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
