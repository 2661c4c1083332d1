"""hookcore's command logger: a line for every tool call."""

from __future__ import annotations

from .plugin import CommandLogger
from .settings import CommandLoggerSettings

__all__ = ["CommandLogger", "CommandLoggerSettings"]
