"""The neutral view: every text in messages and responses, whichever runtime's objects they are.

Policies read and replace through it; adapters teach it their classes with a codec.
"""

from __future__ import annotations

from .codecs import MessageCodec, TextPart, register_message_codec
from .state import UnreadableError
from .view import Text, Texts, covers

__all__ = [
    "MessageCodec",
    "Text",
    "TextPart",
    "Texts",
    "UnreadableError",
    "covers",
    "register_message_codec",
]
