"""Lifecycle extensions: classes whose methods join in an agent's requests.

They run on the reference agent, :class:`hookcore_agent.Agent`, each method as a hook at one
of the dispatcher's points; see :mod:`hookcore_agent.lifecycle.binding` for which.
"""

from __future__ import annotations

from .. import (
    AgentEvent,
    AgentIterationLimitError,
    AgentProtocolError,
    AssistantMessage,
    EventType,
    ExtensionEvent,
    ExternalEvent,
    Message,
    MessageAppendedEvent,
    ModelRequest,
    Phase,
    PhaseTransitionEvent,
    RequestContext,
    RunCancelledEvent,
    RunConfig,
    ServerTool,
    SystemMessage,
    ToolMessage,
    ToolResult,
    UserMessage,
    current_tool_call_id,
)
from .extension import Extension
from .external import ExternalEventExtension
from .groups import EventHooks, ModelHooks, RunHooks, SetupHooks, ToolHooks, TurnHooks

__all__ = [
    "AgentEvent",
    "AgentIterationLimitError",
    "AgentProtocolError",
    "AssistantMessage",
    "EventHooks",
    "EventType",
    "Extension",
    "ExtensionEvent",
    "ExternalEvent",
    "ExternalEventExtension",
    "Message",
    "MessageAppendedEvent",
    "ModelHooks",
    "ModelRequest",
    "Phase",
    "PhaseTransitionEvent",
    "RequestContext",
    "RunCancelledEvent",
    "RunConfig",
    "RunHooks",
    "ServerTool",
    "SetupHooks",
    "SystemMessage",
    "ToolHooks",
    "ToolMessage",
    "ToolResult",
    "TurnHooks",
    "UserMessage",
    "current_tool_call_id",
]
