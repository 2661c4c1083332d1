"""The formats in which models are asked, and answer: one module each."""

from __future__ import annotations

from .anthropic import ANTHROPIC
from .chat import CHAT
from .finding import Operation, find_operation
from .gemini import GEMINI
from .responses import RESPONSES
from .wire import Wire

__all__ = [
    "ANTHROPIC",
    "CHAT",
    "GEMINI",
    "RESPONSES",
    "Operation",
    "Wire",
    "find_operation",
]
