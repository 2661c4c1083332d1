"""The reference agent: small, complete, async, and fires every point that is an agent's.

>>> agent = Agent("clerk", ScriptedModel(["hello"]))
>>> (await agent.run("hi")).output
'hello'
"""

from __future__ import annotations

from hookcore_specs import ModelResponse, TextChunk, ToolCall, ToolCallChunk

from .agent import Agent
from .caching import ResponseCache
from .compaction import Compaction, KeepLast
from .context import RequestContext
from .errors import (
    AgentError,
    AgentIterationLimitError,
    AgentProtocolError,
    MixedToolsError,
    ModelError,
    SessionBusyError,
    ToolArgumentsError,
)
from .events import (
    AgentEvent,
    EventType,
    ExtensionEvent,
    ExternalEvent,
    MessageAppendedEvent,
    PhaseTransitionEvent,
    RunCancelledEvent,
)
from .messages import (
    AssistantMessage,
    MalformedArguments,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from .models import Model, ModelRequest
from .openai_model import OpenAIModel
from .phases import Phase
from .results import RunResult
from .scripted import ScriptedModel
from .session import RunConfig, Session
from .texttools import TextTools
from .tools import ServerTool, Tool, ToolResult, current_tool_call_id, tool

__all__ = [
    "Agent",
    "AgentError",
    "AgentEvent",
    "AgentIterationLimitError",
    "AgentProtocolError",
    "AssistantMessage",
    "Compaction",
    "EventType",
    "ExtensionEvent",
    "ExternalEvent",
    "KeepLast",
    "MalformedArguments",
    "Message",
    "MessageAppendedEvent",
    "MixedToolsError",
    "Model",
    "ModelError",
    "ModelRequest",
    "ModelResponse",
    "OpenAIModel",
    "Phase",
    "PhaseTransitionEvent",
    "RequestContext",
    "ResponseCache",
    "RunCancelledEvent",
    "RunConfig",
    "RunResult",
    "ScriptedModel",
    "ServerTool",
    "Session",
    "SessionBusyError",
    "SystemMessage",
    "TextChunk",
    "TextTools",
    "Tool",
    "ToolArgumentsError",
    "ToolCall",
    "ToolCallChunk",
    "ToolMessage",
    "ToolResult",
    "UserMessage",
    "current_tool_call_id",
    "tool",
]
