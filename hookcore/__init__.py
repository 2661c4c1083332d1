"""hookcore: pluggable hooks for AI-agent runtimes.

Everything that policy authors and host authors need is importable from here.
"""

from __future__ import annotations

from hookcore_specs import (
    NEUTRAL_MESSAGE,
    Abort,
    ChannelMessage,
    Denied,
    EventContext,
    GatewayContext,
    HookAborted,
    HookContext,
    HookDispatchedEvent,
    HookRecord,
    InterceptionPoint,
    Kind,
    MessageContext,
    ModelCallContext,
    ModelChoice,
    ModelResponse,
    Replace,
    RunContext,
    SessionContext,
    SetupContext,
    StepContext,
    TextChunk,
    ToolCall,
    ToolCallChunk,
    ToolCallContext,
    TurnContext,
    hookimpl,
    hookspec,
)

from ._hook import HookInfo
from ._on import on
from ._process import clear_all_hooks, get_manager
from .errors import (
    BackgroundLoopError,
    ConfigError,
    HookcoreError,
    HookTimeoutError,
    PluginLoadError,
    RegistrationError,
    UnknownPointError,
    WrongResultError,
)
from .filters import sanitize_tool_name
from .manager import HookManager, PluginInfo
from .prompting import NobodyAnsweredError, Prompter, TerminalPrompter

__all__ = [
    "NEUTRAL_MESSAGE",
    "Abort",
    "BackgroundLoopError",
    "ChannelMessage",
    "ConfigError",
    "Denied",
    "EventContext",
    "GatewayContext",
    "HookAborted",
    "HookContext",
    "HookDispatchedEvent",
    "HookInfo",
    "HookManager",
    "HookRecord",
    "HookTimeoutError",
    "HookcoreError",
    "InterceptionPoint",
    "Kind",
    "MessageContext",
    "ModelCallContext",
    "ModelChoice",
    "ModelResponse",
    "NobodyAnsweredError",
    "PluginInfo",
    "PluginLoadError",
    "Prompter",
    "RegistrationError",
    "Replace",
    "RunContext",
    "SessionContext",
    "SetupContext",
    "StepContext",
    "TerminalPrompter",
    "TextChunk",
    "ToolCall",
    "ToolCallChunk",
    "ToolCallContext",
    "TurnContext",
    "UnknownPointError",
    "WrongResultError",
    "clear_all_hooks",
    "get_manager",
    "hookimpl",
    "hookspec",
    "on",
    "sanitize_tool_name",
]
