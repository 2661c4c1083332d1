"""The context classes: what a hook receives, one class for each boundary."""

from __future__ import annotations

from ._base import HookContext
from ._boundaries import (
    EndingContext,
    EventContext,
    GatewayContext,
    MessageContext,
    RunContext,
    SessionContext,
    SetupContext,
    StepContext,
    TurnContext,
)
from ._calls import ModelCallContext, ToolCallContext

__all__ = [
    "EndingContext",
    "EventContext",
    "GatewayContext",
    "HookContext",
    "MessageContext",
    "ModelCallContext",
    "RunContext",
    "SessionContext",
    "SetupContext",
    "StepContext",
    "ToolCallContext",
    "TurnContext",
]
