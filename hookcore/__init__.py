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
        HookOptionsDict,
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
    from hookcore_specs.texts import Text, Texts, UnreadableError

    from .disk.state import is_recording, state_folder
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
    from .joined import joint_key
    from .loading.configured import plugin_settings
    from .manager import HookManager, PluginInfo
    from .naming.names import (
        NamePatterns,
        check_name_pattern,
        sanitize_tool_name,
        tool_aliases,
    )
    from .naming.telling import (
        SecretMeaning,
        Told,
        is_telling_name,
        secret_meaning,
        told_by,
    )
    from .process import clear_all_hooks, get_manager
    from .prompting import Answerer, NobodyAnsweredError, Prompter, Question, TerminalPrompter
    from .regex import Regex, RegexError, RegexSet, to_utf8
    from .registering import on
    from .usage import Tokens, tokens_of
    from .waiting.background import Background
    from .waiting.beside import BackgroundWorker

__all__ = [
    "NEUTRAL_MESSAGE",
    "Abort",
    "Answerer",
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
    "HookOptionsDict",
    "HookRecord",
    "HookTimeoutError",
    "HookcoreError",
    "InterceptionPoint",
    "Kind",
    "MessageContext",
    "ModelCallContext",
    "ModelChoice",
    "ModelResponse",
    "NamePatterns",
    "NobodyAnsweredError",
    "PluginDisabledError",
    "PluginInfo",
    "PluginLoadError",
    "Prompter",
    "Question",
    "Regex",
    "RegexError",
    "RegexSet",
    "RegistrationError",
    "Replace",
    "RunContext",
    "SecretMeaning",
    "SessionContext",
    "SetupContext",
    "StepContext",
    "TerminalPrompter",
    "Text",
    "TextChunk",
    "Texts",
    "Tokens",
    "Told",
    "ToolCall",
    "ToolCallChunk",
    "ToolCallContext",
    "TurnContext",
    "UnknownPointError",
    "UnreadableError",
    "WrongResultError",
    "check_name_pattern",
    "clear_all_hooks",
    "get_manager",
    "hookimpl",
    "hookspec",
    "is_recording",
    "is_telling_name",
    "joint_key",
    "on",
    "plugin_settings",
    "sanitize_tool_name",
    "secret_meaning",
    "state_folder",
    "to_utf8",
    "tokens_of",
    "told_by",
    "tool_aliases",
]

_HOMES = {
    "Answerer": ".prompting",
    "Background": ".waiting.background",
    "BackgroundLoopError": ".errors",
    "BackgroundWorker": ".waiting.beside",
    "ConfigError": ".errors",
    "HookInfo": ".hooks.hook",
    "HookManager": ".manager",
    "HookTimeoutError": ".errors",
    "HookcoreError": ".errors",
    "NamePatterns": ".naming.names",
    "NobodyAnsweredError": ".prompting",
    "PluginDisabledError": ".errors",
    "PluginInfo": ".manager",
    "PluginLoadError": ".errors",
    "Prompter": ".prompting",
    "Question": ".prompting",
    "Regex": ".regex",
    "RegexError": ".regex",
    "RegexSet": ".regex",
    "RegistrationError": ".errors",
    "SecretMeaning": ".naming.telling",
    "TerminalPrompter": ".prompting",
    "Text": "hookcore_specs.texts",
    "Texts": "hookcore_specs.texts",
    "Told": ".naming.telling",
    "Tokens": ".usage",
    "UnknownPointError": ".errors",
    "UnreadableError": "hookcore_specs.texts",
    "WrongResultError": ".errors",
    "check_name_pattern": ".naming.names",
    "clear_all_hooks": ".process",
    "get_manager": ".process",
    "is_recording": ".disk.state",
    "state_folder": ".disk.state",
    "is_telling_name": ".naming.telling",
    "joint_key": ".joined",
    "on": ".registering",
    "plugin_settings": ".loading.configured",
    "sanitize_tool_name": ".naming.names",
    "secret_meaning": ".naming.telling",
    "to_utf8": ".regex",
    "told_by": ".naming.telling",
    "tokens_of": ".usage",
    "tool_aliases": ".naming.names",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES.get(name, "hookcore_specs"), __name__), name)
    globals()[name] = value  # the next use finds it without coming here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
