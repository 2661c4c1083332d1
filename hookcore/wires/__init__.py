"""The formats in which models are asked over HTTP, and answer: one module each.

For hosts that stand where requests are sent: a wire says where a request's messages are, and writes
answers; a :class:`WireCodec` reads the events of its streams.
"""

from __future__ import annotations

from . import strict
from .anthropic import ANTHROPIC
from .chat import CHAT
from .codec import WireCodec, as_responses
from .finding import Operation, find_operation
from .gemini import GEMINI
from .responses import RESPONSES
from .wire import Event, MalformedError, Wire

__all__ = [
    "ANTHROPIC",
    "CHAT",
    "GEMINI",
    "RESPONSES",
    "Event",
    "MalformedError",
    "Operation",
    "Wire",
    "WireCodec",
    "as_responses",
    "find_operation",
    "strict",
]
