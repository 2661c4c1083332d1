"""hookcore: pluggable hooks for AI-agent runtimes.

Everything that policy authors and host authors need is importable from here; each name is fetched
from its home when it is first used, so that `hookctl list` need not wait for the dispatcher.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

    from .errors import (
        BackgroundLoopError,
        ConfigError,
        HookcoreError,
        HookTimeoutError,
        PluginDisabledError,
        PluginLoadError,
        RegistrationError,
        UnknownPointError,
        WrongResultError,
    )
    from .hooks.hook import HookInfo
    from .manager import HookManager, PluginInfo
    from .names import sanitize_tool_name
    from .process import clear_all_hooks, get_manager
    from .prompting import NobodyAnsweredError, Prompter, TerminalPrompter
    from .registering import on
    from .waiting.background import Background, BackgroundWorker

__all__ = [
    "NEUTRAL_MESSAGE",
    "Abort",
    "Background",
    "BackgroundLoopError",
    "BackgroundWorker",
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
    "PluginDisabledError",
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

_HOMES = {
    "Background": ".waiting.background",
    "BackgroundLoopError": ".errors",
    "BackgroundWorker": ".waiting.background",
    "ConfigError": ".errors",
    "HookInfo": ".hooks.hook",
    "HookManager": ".manager",
    "HookTimeoutError": ".errors",
    "HookcoreError": ".errors",
    "NobodyAnsweredError": ".prompting",
    "PluginDisabledError": ".errors",
    "PluginInfo": ".manager",
    "PluginLoadError": ".errors",
    "Prompter": ".prompting",
    "RegistrationError": ".errors",
    "TerminalPrompter": ".prompting",
    "UnknownPointError": ".errors",
    "WrongResultError": ".errors",
    "clear_all_hooks": ".process",
    "get_manager": ".process",
    "on": ".registering",
    "sanitize_tool_name": ".names",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES.get(name, "hookcore_specs"), __name__), name)
    globals()[name] = value  # the next use finds it without coming here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
