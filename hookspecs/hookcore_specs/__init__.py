"""Specifies what can be intercepted: the points, their contexts, and what a hook may answer.

Authors import these names from :mod:`hookcore`, which re-exports them.
"""

from __future__ import annotations

from .contexts import (
    EventContext,
    GatewayContext,
    HookContext,
    MessageContext,
    ModelCallContext,
    RunContext,
    SessionContext,
    SetupContext,
    StepContext,
    ToolCallContext,
    TurnContext,
)
from .events import Effect, HookDispatchedEvent, HookRecord, Outcome, Verdict
from .markers import (
    PROJECT_NAME,
    SpecOptions,
    hook_options,
    hookimpl,
    hookspec,
    spec_options,
)
from .messages import ChannelMessage, ModelChoice
from .options import HookOptions, HookOptionsDict, OnError, StreamMode
from .points import InterceptionPoint, Kind
from .responses import ModelResponse, TextChunk, ToolCall, ToolCallChunk
from .results import NEUTRAL_MESSAGE, Abort, Denied, HookAborted, Replace
from .specs import STANDARD_SPECS

__all__ = [
    "NEUTRAL_MESSAGE",
    "PROJECT_NAME",
    "STANDARD_SPECS",
    "Abort",
    "ChannelMessage",
    "Denied",
    "Effect",
    "EventContext",
    "GatewayContext",
    "HookAborted",
    "HookContext",
    "HookDispatchedEvent",
    "HookOptions",
    "HookOptionsDict",
    "HookRecord",
    "InterceptionPoint",
    "Kind",
    "MessageContext",
    "ModelCallContext",
    "ModelChoice",
    "ModelResponse",
    "OnError",
    "Outcome",
    "Replace",
    "RunContext",
    "SessionContext",
    "SetupContext",
    "SpecOptions",
    "StepContext",
    "StreamMode",
    "TextChunk",
    "ToolCall",
    "ToolCallChunk",
    "ToolCallContext",
    "TurnContext",
    "Verdict",
    "hook_options",
    "hookimpl",
    "hookspec",
    "spec_options",
]
