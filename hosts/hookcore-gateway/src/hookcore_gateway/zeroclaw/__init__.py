"""ZeroClaw's hooks: handlers with a priority that continue or cancel, and their runner.

Each method of a handler is a hook at one of the dispatcher's points, so a handler works on every
host that dispatches them; see :mod:`hookcore_gateway.zeroclaw.binding` for which.
"""

from __future__ import annotations

from .binding import handler_plugin
from .config import plugin_tables
from .handler import HookHandler
from .invocation import ToolCallHookContext
from .result import Cancel, Continue, HookResult
from .runner import HookRunner
from .types import ChannelMessage, ChatMessage, ChatResponse, ToolResult

__all__ = [
    "Cancel",
    "ChannelMessage",
    "ChatMessage",
    "ChatResponse",
    "Continue",
    "HookHandler",
    "HookResult",
    "HookRunner",
    "ToolCallHookContext",
    "ToolResult",
    "handler_plugin",
    "plugin_tables",
]
